# Says which lines of notes.md are too long.
long=$(while IFS= read -r line; do test "${#line}" -le 60 || echo "too long: $line"; done < notes.md)
test -z "$long" || { echo "$long"; exit 1; }
