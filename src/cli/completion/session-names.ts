import { resolve } from 'node:path';
import { sessionNames } from '../../app/session-names.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';

/** The sessions of the project that a shell stands in, a line each. `folder`: what `-C` names, as it was typed. */
export async function printSessionNames(io: Io, folder = '.'): Promise<number> {
  const typed = folder.replaceAll(/\\(.)|["']/g, '$1').replace(/^~(?=\/|$)/, () => io.env['HOME'] ?? '~');
  const names = sessionNames(resolve(io.cwd, typed));
  io.out(names.map(name => `${name}\n`).join(''));
  return exit.done;
}
