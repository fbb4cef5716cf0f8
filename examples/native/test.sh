# The test of this little project.
test -s CHANGELOG.md || { echo "CHANGELOG.md is missing or empty"; exit 1; }
