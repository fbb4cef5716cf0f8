#!/bin/sh
# Fires after good and bad iterations alike; the payload says which it was.
case $(cat) in
  *'"status":"failed"'*) echo "iteration $HOOK_ITERATION failed: $HOOK_ERROR" >&2 ;;
  *) echo "iteration $HOOK_ITERATION completed" >&2 ;;
esac
