import { delimiter, join } from 'node:path';
import { addressFile } from '../app/serve-address.ts';
import { installAgain, orRemoveFrom } from '../model/gone.ts';
import { quoted } from '../model/own-entry.ts';
import { lastLine } from '../platform/build.ts';
import { isExecutable } from '../platform/files.ts';
import { nodeOptionsCarrier } from '../platform/node-options.ts';

export interface LauncherParts {
  /** What runs now. */
  node: string;
  program: string;
  /** The user's state folder. */
  state: string;
  /** Where tools are looked for, beside the usual places. */
  path: string | undefined;
}

/**
 * The script that installed hook entries call: it asks serve where that runs and starts the program where it does not.
 * Without bash, which alone can open connections without another program, it only starts the program.
 */
export function launcherText({ node, program, state, path }: LauncherParts, find = findTool): string {
  const words = {
    ...{ node: quoted(node), program: quoted(program) },
    ...{ address: quoted(addressFile(state)), state: quoted(state), lastLine: quoted(lastLine) },
  };
  const [bash, cat, head] = ['bash', 'cat', 'head'].map(tool => find(tool, path));
  const tools = bash !== undefined && cat !== undefined && head !== undefined && { bash, cat, head };
  if (!tools || process.platform !== 'linux' || /\s/.test(tools.bash)) return plainLauncher(words);
  return askServe({ ...words, bash: tools.bash, cat: quoted(tools.cat), head: quoted(tools.head) });
}

/** The system's own first: what a project puts on PATH must not read payloads. */
function findTool(name: string, path = ''): string | undefined {
  const folders = ['/bin', '/usr/bin', ...path.split(delimiter).filter(folder => folder.startsWith('/'))];
  return folders.map(folder => join(folder, name)).find(isExecutable);
}

interface PlainParts {
  node: string;
  program: string;
  state: string;
  lastLine: string;
}

export const plainLauncher = ({ node, program, state, lastLine }: PlainParts): string => `#!/bin/sh
# Written by \`hookloop install\`: the entries in the hook files of agents call it.
${wholeOrNothing(`node=${node}
program=${program}
${goneFunction}
[ -x "$node" ] || node=$(command -v node) || hl_gone 'Node is gone' "$@"
[ -r "$program" ] && [ -s "$program" ] || hl_gone "$program is gone or empty" "$@"
case "$(tail -n 1 "$program")
" in *${lastLine}) ;; *) hl_gone "$program is broken" "$@" ;; esac
[ "$1" = hook ] && set -- "$@" --state ${state}
[ -z "$NODE_OPTIONS" ] || export ${nodeOptionsCarrier}="$NODE_OPTIONS"
unset NODE_OPTIONS
exec "$node" "$program" "$@"
`)}`;

/** What the launcher does where it cannot start the program; then come its own words, which say where the entry is. */
const goneFunction = `hl_gone() {
  hl_what=$1 hl_more=
  while [ $# -gt 1 ]; do
    [ "$1" = --from ] && hl_more="${orRemoveFrom}$2"
    shift
  done
  printf 'hookloop: %s; ${installAgain}%s\\n' "$hl_what" "$hl_more" >&2
  exit 1
}`;

/**
 * A launcher that was cut off must not end well, since silence is a yes; nor with 2, since that would hold up the end of
 * a turn. So a shell has to read it whole before it runs any of it.
 */
const wholeOrNothing = (script: string): string => `trap 'exit 1' EXIT
{
trap - EXIT
${script}}
`;

/** Every value is quoted for a shell already, but for `bash`, which stands in the first line. */
interface ScriptParts {
  bash: string;
  node: string;
  program: string;
  address: string;
  cat: string;
  head: string;
  /** What a program that is whole ends with. */
  lastLine: string;
}

/**
 * The thin client. `-p` keeps bash from reading files and functions that the environment names. Names start with hl_,
 * since a variable that the agent has exported would be changed for the hooks. Nothing that is read becomes text of the
 * script. Payloads of up to 4 KiB are read by bash itself, which is faster than to start a program for it.
 */
const askServe = ({ bash, node, program, address, cat, head, lastLine }: ScriptParts): string => `#!${bash} -p
# Written by \`hookloop install\`: the entries in the hook files of agents call it.
${wholeOrNothing(`hl_node=${node}
hl_program=${program}
hl_address=${address}
hl_cat=${cat}
hl_head=${head}

${goneFunction}

hl_plain() {
  [[ -n $NODE_OPTIONS ]] && export ${nodeOptionsCarrier}=$NODE_OPTIONS
  unset NODE_OPTIONS
  [[ -x $hl_node ]] || hl_node=$(type -P node) || hl_gone 'Node is gone' "$@"
  [[ -r $hl_program && -s $hl_program ]] || hl_gone "$hl_program is gone or empty" "$@"
  IFS= read -r -d '' hl_text <"$hl_program"
  [[ $hl_text == *${lastLine} ]] || hl_gone "$hl_program is broken" "$@"
  [[ $1 == hook ]] && set -- "$@" --state "\${hl_address%/*}"
  exec "$hl_node" "$hl_program" "$@"
}

hl_lost() {
  printf 'hookloop: serve went away before it had answered\\n' >&2
  exit "$hl_code"
}

hl_send() {
  if IFS= read -r -d '' -n 4096 hl_in; then
    if ((\${#hl_in} < 4096)); then printf '%s\\0' "$hl_in"; else printf '%s' "$hl_in"; fi
    "$hl_cat"
    printf '\\0%s' "$hl_end"
  else
    printf '%s\\0%s' "$hl_in" "$hl_end"
  fi
}

hl_talk() {
  # What bash itself obeys: how deep functions may call each other, how long read waits.
  unset FUNCNEST TMOUT
  LC_ALL=C
  hl_send >&9 2>/dev/null
  hl_wait=()
  ((hl_limit > 0)) && hl_wait=(-t "$hl_limit")
  hl_status=
  until [[ -n $hl_status ]]; do
    read -r "\${hl_wait[@]}" hl_status hl_err hl_out hl_how <&9 || hl_lost
  done
  hl_note= hl_text= hl_done=
  if [[ $hl_how == t ]]; then
    ((hl_err > 0)) && IFS= read -r -d '' -n "$hl_err" hl_note <&9
    ((hl_out > 0)) && IFS= read -r -d '' -n "$hl_out" hl_text <&9
    read -r hl_done <&9
    [[ $hl_done == end ]] || hl_lost
    [[ -n $hl_note ]] && printf '%s' "$hl_note" >&2
    [[ -n $hl_text ]] && printf '%s' "$hl_text" 2>/dev/null
  else
    "$hl_head" -c "$hl_err" <&9 >&2
    "$hl_head" -c "$hl_out" <&9 2>/dev/null
    read -r hl_done <&9
    [[ $hl_done == end ]] || hl_lost
  fi
  exit "$hl_status"
}

[[ $1 == hook && $HOOKLOOP_SERVE != off && ! -t 0 && ! -o posix ]] || hl_plain "$@"
hl_absent=1
if [[ -r $hl_address ]] && IFS= read -r hl_line <"$hl_address"; then
  hl_line=\${hl_line#*'"thin":"'}
  hl_thin=(\${hl_line%%'"'*})
  if { exec 9<>"/dev/tcp/127.0.0.1/\${hl_thin[0]}"; } 2>/dev/null; then
    hl_absent=
    trap '' PIPE
    printf '%s\\0' hookloop/1 "\${hl_thin[1]}" "$$" "$PPID" "$hl_program" "$#" "$@" >&9 2>/dev/null
    read -r -t 2 hl_proof hl_end hl_code hl_limit <&9
    [[ $hl_proof == "\${hl_thin[2]}" && -n $hl_limit ]] && hl_talk
    exec 9>&-
    trap - PIPE
  fi
fi
if [[ -n $hl_absent && $HOOKLOOP_SERVE == auto ]]; then
  set -m
  {
    # Whoever waits for the end of a file must not wait for serve.
    for hl_fd in /proc/self/fd/*; do
      hl_fd=\${hl_fd##*/}
      ((hl_fd > 2)) && exec {hl_fd}>&-
    done
    [[ -n $NODE_OPTIONS ]] && export ${nodeOptionsCarrier}=$NODE_OPTIONS
    unset NODE_OPTIONS
    exec "$hl_node" "$hl_program" serve
  } </dev/null >/dev/null 2>&1 &
  set +m
fi
hl_plain "$@"
`)}`;
