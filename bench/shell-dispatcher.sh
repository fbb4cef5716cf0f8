#!/usr/bin/env bash
# A dispatcher as babysitter's documentation describes it, to measure against: the scripts of a type in the repository,
# then in the user's folder, each with the payload on stdin, a log on stderr and a summary at the end.
set -uo pipefail
type=$1
payload=$(cat)
summary=()

run_folder() {
  local label=$1 folder=$2 script name
  [ -d "$folder" ] || return 0
  echo "[$label] Executing hooks from: $folder" >&2
  while IFS= read -r script; do
    [ -x "$script" ] || continue
    name=$(basename "$script")
    echo "[$label] Running: $name" >&2
    if printf '%s\n' "$payload" | "$script"; then
      echo "[$label] + $name succeeded" >&2
      summary+=("$label:$name:success")
    else
      summary+=("$label:$name:failed:$?")
    fi
  done < <(find "$folder" -maxdepth 1 -name '*.sh' | sort)
}

run_folder per-repo ".a5c/hooks/$type"
run_folder per-user "${XDG_CONFIG_HOME:-$HOME/.config}/babysitter/hooks/$type"
printf '\nHook execution summary:\n' >&2
printf '%s\n' "${summary[@]}" >&2
