# The test of this little project.
test "$(cat total.txt)" = 42 || { echo "total.txt: expected 42, found $(cat total.txt)"; exit 1; }
