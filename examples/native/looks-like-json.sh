# A quick look, not a parser.
test "$(head -c 1 "$1")" = "{" || { echo "$1 does not begin with {"; exit 1; }
