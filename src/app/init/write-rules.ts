import { statSync } from 'node:fs';
import { join } from 'node:path';
import { appendItems } from '../../config/append-items.ts';
import { flowText } from '../../config/flow-text.ts';
import { native } from '../../dialects/index.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import type { Places } from '../../model/index.ts';
import { problemLine } from '../../model/index.ts';
import { reasonOf, removeQuietly, writeAtomically } from '../../platform/files.ts';
import { realPath } from '../../platform/folders.ts';
import { testFileName } from '../test-file.ts';
import type { ProposedRule } from './propose-rules.ts';

/** A file as it is, undefined where there is none, and as it would be. */
export interface ChangedFile {
  name: string;
  path: string;
  before: string | undefined;
  after: string;
}

/** `flaw`: these entries cannot be added to the files as they are written, and why. */
type PlannedFiles = { kind: 'files'; files: readonly ChangedFile[] } | { kind: 'flaw'; why: string };

/** The project's files with entries and their cases at the end of their lists, and all else as it is. Changes nothing. */
export function planFiles(
  entries: readonly ProposedRule[],
  { places, from, agent }: { places: Places; from: string; agent: string | undefined },
): PlannedFiles {
  const [hooks, tests] = ['hookloop.yaml', testFileName].map(name => textOf(name, places));
  if ('why' in hooks!) return { kind: 'flaw', why: hooks.why };
  if ('why' in tests!) return { kind: 'flaw', why: tests.why };
  const start = hooks!.before ?? (agent === undefined ? '' : `agent: ${flowText(agent)}\n`);
  let after: string | undefined = start;
  for (const { event, entry, sentence } of entries)
    after = after === undefined ? undefined : appendItems(after, ['hooks', event], [remarked(entry, sentence, from)]);
  const cases = entries.flatMap(({ event, cases: own, sentence }) =>
    own.map(({ name, with: fields, expect, message }, at) => ({
      value: { name, event, ...(fields && { with: fields }), expect, ...(message !== undefined && { message }) },
      ...(at === 0 && { remark: `${from}: ${sentence}` }),
    })),
  );
  const tested = cases.length === 0 ? tests!.before : appendItems(tests!.before ?? '', ['tests'], cases);
  if (after === undefined)
    return { kind: 'flaw', why: 'hookloop.yaml is written in a way that nothing can be added to' };
  if (cases.length > 0 && tested === undefined)
    return { kind: 'flaw', why: `${testFileName} is written in a way that nothing can be added to` };
  const flaw = flawIn(after, places);
  if (flaw !== undefined) return { kind: 'flaw', why: flaw };
  const files = [
    { ...hooks!, after },
    { ...tests!, after: tested },
  ];
  return {
    kind: 'files',
    files: files.filter((file): file is ChangedFile => file.after !== undefined && file.after !== file.before),
  };
}

const remarked = (value: unknown, sentence: string, from: string) => ({ value, remark: `${from}: ${sentence}` });

function textOf(
  name: string,
  { root }: Places,
): { name: string; path: string; before: string | undefined } | { why: string } {
  const path = join(root, name);
  const found = createLook().text(path);
  if (found.kind === 'unreadable') return { why: `${name} ${found.reason}` };
  return { name, path, before: found.kind === 'text' ? found.text : undefined };
}

/** Together with what stands there already. */
function flawIn(text: string, places: Places): string | undefined {
  const location = native.locations[0]!;
  const found = {
    kind: 'text',
    file: 'hookloop.yaml',
    path: join(places.root, 'hookloop.yaml'),
    text,
    location,
  } as const;
  const flaws = native.normalise([found], places).problems.filter(({ severity }) => severity === 'error');
  return flaws.length === 0 ? undefined : flaws.slice(0, 3).map(problemLine).join('; ');
}

/** Why they were not written, all or none as far as that can be; undefined where they were. A file that someone has changed meanwhile is not written over. */
export function writeFiles(files: readonly ChangedFile[], places: Places): string | undefined {
  for (const { name, before } of files) {
    const now = textOf(name, places);
    if ('why' in now) return now.why;
    if (now.before !== before) return `${name} has changed meanwhile`;
  }
  const done: ChangedFile[] = [];
  for (const file of files)
    try {
      write(file.path, file.after, file.before !== undefined);
      done.push(file);
    } catch (error) {
      for (const { path, before } of done)
        if (before === undefined) removeQuietly(path);
        else write(path, before, true);
      return `${file.name}: ${reasonOf(error)}`;
    }
  return undefined;
}

/** What a link leads to is written, with the mode it has. */
function write(path: string, text: string, isThere: boolean): void {
  const real = isThere ? realPath(path) : path;
  writeAtomically(real, text, isThere ? { mode: statSync(real).mode & 0o777 } : { maskedMode: 0o666 });
}
