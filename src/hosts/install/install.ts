import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Flaw } from '../../config/located.ts';
import { createReport, fileProblem } from '../../config/report.ts';
import type { Problem } from '../../model/index.ts';
import { httpAddress, ownCommand } from '../../model/own-entry.ts';
import { type AgentFolders, type InstallScope, installScopes, settingsFile } from '../host.ts';
import { type AgentName, hosts } from '../index.ts';
import type { HeldJson, HttpCalls } from '../settings.ts';
import { hostSettings } from '../settings-table.ts';
import { hashOf, type Records, takenBack, undoOf } from './install-records.ts';
import { type FileText, makeFolders, readFile, removeEmpty, replaceFile } from './installed-files.ts';
import { addEntries, type Edit, isSameBut, ownEntries, removeEntries } from './json-entries.ts';
import { addTables, holdsHooks, ownTables, removeTables } from './toml-entries.ts';

export interface Wanted {
  agent: AgentName;
  scope: InstallScope;
  folders: AgentFolders;
  /** How to start our program: an absolute path, or a name on PATH. */
  program: string;
  /** Calls go to serve where the agent can make them itself. */
  http?: { calls: HttpCalls; port: number; variable: string };
}

/** What is to happen with one file. */
export type Planned =
  /** `hadOwn`: entries of ours were there before. */
  | {
      kind: 'change';
      file: string;
      before: string | undefined;
      after: string | undefined;
      hadOwn: boolean;
      apply(): void;
    }
  /** `apply` is there where something of ours is left beside the file. */
  | { kind: 'same'; file: string; apply?(): void }
  | { kind: 'refused'; file: string; why: string }
  | { kind: 'problem'; file: string; problem: Problem };

export type Doing = 'install' | 'uninstall';

/** Contract: nothing is written before `apply`, which throws what the file system says. */
export function planChange(doing: Doing, wanted: Wanted, records: Records): Planned {
  const holding = holdingOf(wanted);
  const { file } = holding;
  const found = readFile(file, wanted.scope === 'user' ? undefined : wanted.folders.root);
  if (found.kind === 'unusable') return { kind: 'refused', file, why: found.why };
  if (found.kind === 'not-utf8')
    return { kind: 'problem', file, problem: fileProblem(file, 'is not valid UTF-8', false) };
  const isInstall = doing === 'install';
  const before = found.kind === 'text' ? found.text : undefined;
  const own = holding.own(before ?? '');
  const fresh = holding.add(undefined);
  if (isInstall && own !== '' && fresh.kind === 'text' && own === holding.own(fresh.text))
    return { kind: 'same', file };
  if (!isInstall && before === undefined) return { kind: 'same', file, apply: () => forget(file, records) };
  const base = baseOf(holding, found, records);
  if (base.kind !== 'base') return base;
  const edit = isInstall ? holding.add(base.text) : base;
  if (edit.kind === 'flaw') return problemOf(file, base.text ?? '', edit.flaw);
  const after = edit.text;
  if (after === before) return { kind: 'same', file };
  const apply = (): void => {
    checkUnchanged(file, found);
    const folders = [...(records.of(file)?.folders ?? []), ...(after === undefined ? [] : makeFolders(found.path))];
    if (after === undefined) rmSync(found.path, { force: true });
    else if (found.kind === 'absent') replaceFile(found.path, after);
    else replaceFile(found.path, found.mark + after, found.mode);
    if (!isInstall) forget(file, records);
    else {
      const undo = base.text === undefined ? {} : { undo: undoOf(base.text, after!) };
      records.keep({ file, left: hashOf(after!), folders, ...undo });
    }
  };
  return { kind: 'change', file, before, after, hadOwn: own !== '', apply };
}

type Usable = Exclude<FileText, { kind: 'unusable' | 'not-utf8' }>;

/** Nothing of ours is in the file any more. */
function forget(file: string, records: Records): void {
  const folders = records.of(file)?.folders ?? [];
  removeEmpty(folders);
  records.drop(file);
  records.handOn(folders);
}

/** The file as it is without us: as it was, or if it has changed since, without our entries. */
function baseOf(
  holding: Holding,
  found: Usable,
  records: Records,
): Planned | { kind: 'base'; text: string | undefined } {
  if (found.kind === 'absent') return { kind: 'base', text: undefined };
  const { file } = holding;
  const record = records.of(file);
  const back = takenBack(record, found.text);
  if (back) return { kind: 'base', text: back.before };
  const edit = holding.remove(found.text);
  if (edit.kind === 'foreign')
    return { kind: 'refused', file, why: 'a file of that name already exists, and it does not belong to Hookloop' };
  if (edit.kind === 'flaw') return problemOf(file, found.text, edit.flaw);
  // What we made and what is all ours goes as a whole.
  const fresh = holding.add(undefined);
  const isOurs = fresh.kind === 'text' && fresh.text === found.text;
  const isEmpty =
    record !== undefined && record.undo === undefined && /^\s*(\{\s*("version"\s*:\s*1\s*)?\}\s*)?$/.test(edit.text);
  const isAllGone = edit.text === '' && found.text !== '';
  return { kind: 'base', text: isAllGone || isOurs || isEmpty ? undefined : edit.text };
}

function problemOf(file: string, text: string, flaw: Flaw): Planned {
  const report = createReport(file, text, false);
  report.flaw(flaw);
  return { kind: 'problem', file, problem: report.problems[0]! };
}

/** Agents write their settings themselves, at any time. */
function checkUnchanged(file: string, found: Usable): void {
  const again = readFile(file, undefined);
  if (again.kind !== found.kind || (again.kind === 'text' && found.kind === 'text' && again.text !== found.text))
    throw new Error('it was changed by another program meanwhile; try again');
}

/** A file of another scope that holds entries of ours. */
export interface Elsewhere {
  scope: InstallScope;
  file: string;
}

/** Every file once: scopes of some agents share one. What cannot be read calls no one. */
export function calledElsewhere(wanted: Wanted): Elsewhere[] {
  const seen = new Set([holdingOf(wanted).file]);
  return installScopes.flatMap(scope => {
    const holding = holdingOf({ ...wanted, scope });
    const { file } = holding;
    const found = seen.has(file) ? undefined : tryRead(file, scope === 'user' ? undefined : wanted.folders.root);
    seen.add(file);
    if (found?.kind !== 'text') return [];
    return holding.own(found.text) === '' ? [] : [{ scope, file }];
  });
}

function tryRead(file: string, inside: string | undefined): FileText | undefined {
  try {
    return readFile(file, inside);
  } catch {
    return undefined;
  }
}

/** One way to hold our entries: what the file is with them and without them. */
interface Holding {
  file: string;
  /** `text` has no entries of ours, or is undefined. */
  add(text: string | undefined): Edit;
  remove(text: string): Edit | { kind: 'foreign' };
  /** What of a text is ours; two that say the same are equal. Empty where nothing is. */
  own(text: string): string;
}

function holdingOf(wanted: Wanted): Holding {
  const { agent, scope, folders, program } = wanted;
  const file = settingsFile(hosts[agent], scope, folders);
  const { holds } = hostSettings[agent];
  if (holds.kind === 'code') {
    const text = holds.text(program);
    return {
      file,
      add: () => ({ kind: 'text', text }),
      remove: current => (current.startsWith(holds.firstLine) ? { kind: 'text', text: '' } : { kind: 'foreign' }),
      own: current => (current.startsWith(holds.firstLine) ? current : ''),
    };
  }
  const toml = holds.toml === undefined ? undefined : join(dirname(file), holds.toml);
  return toml !== undefined && !existsSync(file) && existsSync(toml) && holdsHooks(readFileSync(toml, 'utf8'))
    ? inToml(toml, entriesOf(wanted, holds, toml))
    : inJson(file, holds.header?.(scope) ?? {}, entriesOf(wanted, holds, file));
}

type Entries = readonly (readonly [native: string, entry: unknown])[];

function entriesOf({ agent, scope, program, folders, http }: Wanted, holds: HeldJson, file: string): Entries {
  const shown = scope === 'user' ? file.replace(folders.home, '~') : relative(folders.root, file);
  return Object.entries(hosts[agent].events).map(([native, event]) => {
    if (http?.calls.natives.includes(native)) {
      const url = httpAddress(http.port, `/hook/${agent}/${native}`, folders.root);
      return [native, http.calls.entry({ event, url, variable: http.variable })];
    }
    const isFirst = native === http?.calls.first;
    const command = ownCommand({
      program,
      words: `hook ${agent} ${native}${isFirst ? ' --http' : ''}`,
      ...{ file: shown, refuses: event.closed === true || isFirst },
    });
    return [native, holds.entry({ event, command })];
  });
}

const inJson = (file: string, header: Readonly<Record<string, unknown>>, entries: Entries): Holding => ({
  file,
  add: (text = '') => checked(text, addEntries(text, header, entries)),
  remove: text => checked(text, removeEntries(text)),
  own: ownEntries,
});

const inToml = (file: string, entries: Entries): Holding => ({
  file,
  add: (text = '') => addTables(text, entries),
  remove: removeTables,
  own: ownTables,
});

/** Whatever the text is made of: nothing but our entries may have changed. */
function checked(before: string, edit: Edit): Edit {
  if (edit.kind === 'flaw' || isSameBut(before, edit.text)) return edit;
  const flaw: Flaw = { message: 'it is written in a way that cannot be edited safely', span: { start: 0, end: 1 } };
  return { kind: 'flaw', flaw };
}
