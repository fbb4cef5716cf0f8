import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shortHash } from '../platform/cache.ts';
import { type GitCall, git } from '../workspace/git.ts';
import { findRepository } from '../workspace/repository.ts';

/**
 * What decides, beside the files, what git takes a file to hold: settings by their names, each with a hash of its values.
 * A filter may show git the original of a file that is another one, or put another one in the place of the original.
 */
export type Reading = Readonly<Record<string, string>>;

export async function readingOf(folder: string, call: GitCall): Promise<Reading> {
  const [found, listed] = [await findRepository(folder, call), await git(folder, ['config', '--list', '-z'], call)];
  if (found.kind !== 'repository' || listed.kind !== 'done') return {};
  const values: Record<string, string> = {};
  for (const row of listed.text.split('\0')) {
    const [name = ''] = row.split('\n', 1);
    if (settings.test(name)) values[name] = `${values[name] ?? ''}\0${row.slice(name.length)}`;
  }
  const attributes = textOf(join(found.repository.commonFolder, 'info', 'attributes'));
  if (attributes.trim() !== '') values['.git/info/attributes'] = attributes;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shortHash(value)]));
}

const settings = /^(?:filter\..+|core\.(?:autocrlf|eol|attributesfile|filemode|symlinks|ignorecase))$/;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The names of what differs. */
export const changedReading = (before: Reading, after: Reading): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(name => before[name] !== after[name]).sort();
