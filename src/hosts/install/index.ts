import { rmSync } from 'node:fs';
import { createReport, fileProblem } from '../../config/report.ts';
import type { Problem } from '../../model/index.ts';
import { quoted } from './launcher.ts';
import { type Holding, holdingOf, type Wanted } from './plan.ts';
import { type FileText, readFile } from './read-file.ts';
import { hashOf, type Records, takenBack, undoOf } from './records.ts';
import { makeFolders, removeEmpty, writeWhole } from './write-file.ts';

/** What is to happen with one file. */
export type Planned =
  | { kind: 'change'; file: string; before: string | undefined; after: string | undefined; apply(): void }
  /** `apply` is there where something of ours is left beside the file. */
  | { kind: 'same'; file: string; apply?(): void }
  | { kind: 'refused'; file: string; why: string }
  | { kind: 'problem'; file: string; problem: Problem };

export type Doing = 'install' | 'uninstall';

/** Contract: nothing is written before `apply`, which throws what the file system says. */
export function planChange(doing: Doing, wanted: Wanted, records: Records): Planned {
  const holding = holdingOf(wanted, quoted);
  const { file } = holding;
  const found = readFile(file, wanted.scope === 'user' ? undefined : wanted.places.root);
  if (found.kind === 'unusable') return { kind: 'refused', file, why: found.why };
  if (found.kind === 'not-utf8')
    return { kind: 'problem', file, problem: fileProblem(file, 'is not valid UTF-8', false) };
  return doing === 'install' ? planInstall(holding, found, records) : planUninstall(holding, found, records);
}

type Usable = Exclude<FileText, { kind: 'unusable' | 'not-utf8' }>;

function planInstall(holding: Holding, found: Usable, records: Records): Planned {
  const { file } = holding;
  const now = found.kind === 'text' ? found.text : undefined;
  if (now !== undefined && holding.isDone(now)) return { kind: 'same', file };
  const base = baseOf(holding, found, records);
  if (base.kind !== 'base') return base;
  const edit = holding.add(base.text);
  if (edit.kind === 'flaw') return problemOf(file, base.text ?? '', edit.flaw);
  const { text } = edit;
  const apply = (): void => {
    checkUnchanged(file, found);
    const earlier = records.of(file)?.folders ?? [];
    const folders = [...earlier, ...makeFolders(found.path)];
    writeWhole(found.path, text, found.kind === 'text' ? found.mode : undefined);
    const undo = base.text === undefined ? {} : { undo: undoOf(base.text, text) };
    records.keep({ file, left: hashOf(text), folders, ...undo });
  };
  return { kind: 'change', file, before: now, after: text, apply };
}

function planUninstall(holding: Holding, found: Usable, records: Records): Planned {
  const { file } = holding;
  const forget = (): void => {
    const folders = records.of(file)?.folders ?? [];
    removeEmpty(folders);
    records.drop(file);
    records.handOn(folders);
  };
  if (found.kind === 'absent') return { kind: 'same', file, apply: forget };
  const base = baseOf(holding, found, records);
  if (base.kind !== 'base') return base;
  const after = base.text;
  if (after === found.text) return { kind: 'same', file };
  const apply = (): void => {
    checkUnchanged(file, found);
    if (after === undefined) rmSync(found.path, { force: true });
    else writeWhole(found.path, after, found.mode);
    forget();
  };
  return { kind: 'change', file, before: found.text, after, apply };
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
    return { kind: 'refused', file, why: 'a file of that name is there already, and it is not ours' };
  if (edit.kind === 'flaw') return problemOf(file, found.text, edit.flaw);
  // What we made and what is all ours goes as a whole.
  const fresh = holding.add(undefined);
  const isOurs = fresh.kind === 'text' && fresh.text === found.text;
  const isEmpty =
    record !== undefined && record.undo === undefined && /^\s*(\{\s*("version"\s*:\s*1\s*)?\}\s*)?$/.test(edit.text);
  const isAllGone = edit.text === '' && found.text !== '';
  return { kind: 'base', text: isAllGone || isOurs || isEmpty ? undefined : edit.text };
}

function problemOf(file: string, text: string, flaw: Parameters<ReturnType<typeof createReport>['flaw']>[0]): Planned {
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
