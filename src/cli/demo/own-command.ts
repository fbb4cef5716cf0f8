import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { quoted } from '../../model/own-entry.ts';

/** What a person can type to start this program. What npm puts on PATH for one script is not there afterwards. */
export function ownCommand(program: string, searchPath: string): string {
  const lasting = searchPath
    .split(':')
    .filter(folder => folder.startsWith('/') && !folder.endsWith('/node_modules/.bin'));
  const found = lasting.map(folder => join(folder, 'hookloop')).find(path => existsSync(path));
  return found !== undefined && realpathSync(found) === program ? 'hookloop' : `node ${quoted(program)}`;
}
