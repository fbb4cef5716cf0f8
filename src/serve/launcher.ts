import { delimiter, join } from 'node:path';
import { isExecutable } from '../actions/executable.ts';
import { addressFile } from './address.ts';
import { askServe } from './thin/script.ts';

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
export function launcherText({ node, program, state, path }: LauncherParts): string {
  const words = { node: quoted(node), program: quoted(program), address: quoted(addressFile(state)) };
  const [bash, cat, head] = ['bash', 'cat', 'head'].map(tool => findTool(tool, path));
  const tools = bash !== undefined && cat !== undefined && head !== undefined && { bash, cat, head };
  if (!tools || process.platform !== 'linux' || /\s/.test(tools.bash)) return plainLauncher(words);
  return askServe({ ...words, bash: tools.bash, cat: quoted(tools.cat), head: quoted(tools.head) });
}

const plainLauncher = ({ node, program }: { node: string; program: string }): string =>
  [
    '#!/bin/sh',
    '# Written by `hookloop install`: the entries in the hook files of agents call it.',
    `node=${node}`,
    '[ -x "$node" ] || node=node',
    `exec "$node" ${program} "$@"`,
    '',
  ].join('\n');

/** One word of a shell, bare where that is the same. */
const quoted = (word: string): string => (/^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The system's own first: what a project puts on PATH must not read payloads. */
function findTool(name: string, path = ''): string | undefined {
  const folders = ['/bin', '/usr/bin', ...path.split(delimiter).filter(folder => folder.startsWith('/'))];
  return folders.map(folder => join(folder, name)).find(isExecutable);
}
