import { delimiter, join } from 'node:path';
import { quoted } from '../model/own-entry.ts';
import { lastLine } from '../platform/build.ts';
import { isExecutable } from '../platform/files.ts';
import { addressFile } from './address.ts';
import { nodeOptionsCarrier } from './node-options.ts';
import { askServe, goneFunction, wholeOrNothing } from './thin/script.ts';

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

/** The system's own first: what a project puts on PATH must not read payloads. */
function findTool(name: string, path = ''): string | undefined {
  const folders = ['/bin', '/usr/bin', ...path.split(delimiter).filter(folder => folder.startsWith('/'))];
  return folders.map(folder => join(folder, name)).find(isExecutable);
}
