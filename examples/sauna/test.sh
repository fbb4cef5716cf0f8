# The test of this little project: it knows what greet.sh must say.
said=$(sh greet.sh Ada)
echo "greet.sh said: $said"
test "$said" = "Hello, Ada!" || { echo "expected: Hello, Ada!" >&2; exit 1; }
