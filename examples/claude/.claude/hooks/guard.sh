#!/bin/sh
# Exit code 2 refuses the call; stderr tells the agent why.
case $(cat) in
  *'rm -rf'*) echo "rm -rf is not allowed here: move files to trash/ instead" >&2; exit 2 ;;
esac
