#!/bin/sh
# Keeps one line for each run.
printf '%s\n' "$HOOK_PAYLOAD" >> "$REPO_ROOT/metrics.jsonl"
