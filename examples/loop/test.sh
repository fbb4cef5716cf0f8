# The gate: greet.sh must greet Ada.
said=$(sh greet.sh Ada) || exit 1
[ "$said" = 'Hello, Ada!' ] && exit 0
echo "expected: Hello, Ada!"
echo "but got:  $said"
exit 1
