import { relative } from 'node:path';
import type { TakenAway } from '../../app/migrate/take-away.ts';
import type { LeftHook, Migration } from '../../app/migrate.ts';
import type { Terminal } from './paint.ts';
import { flat, shortened } from './text.ts';

/** What was written, what stays and why, and what else is to be known. */
export function migrationText(plan: Migration, { colours }: Terminal): string {
  const { written, left, notes } = plan;
  const all = written.length + left.length;
  const files = filesOf(plan);
  const head = `${written.length} of ${all} hook${all === 1 ? '' : 's'} as native ones${files.length > 0 ? `, from ${files.map(flat).join(', ')}` : ''}`;
  return [
    colours.bold(head),
    ...left.map(
      one => `${flat(placeOf(one))}: ${colours.yellow('left')}: ${shortened(one.hook.name)}: ${flat(one.why)}`,
    ),
    ...notes.map(note => `${colours.dim('note:')} ${flat(note)}`),
    '',
  ].join('\n');
}

/** Old files of what was written. */
export const filesOf = ({ written }: Migration): string[] => [...new Set(written.map(({ hook }) => hook.source.file))];

const placeOf = ({ hook: { source } }: LeftHook): string => `${source.file}:${source.line}`;

export const maskedText = 'note: secrets are shown as ***; --write keeps them as they are\n';

export const nothingText = ({ left, broken }: Migration): string =>
  left.length + broken.length > 0
    ? 'No hook was found that can be written as a native one.\n'
    : 'There is nothing to migrate: no hooks of other formats were found here.\n';

/** Where what is printed cannot simply be written. */
export const mergeText = ({ path }: Migration, cwd: string): string =>
  `${flat(shownPath(path, cwd))} already exists, and is not changed: take over what you want by hand.\n`;

export const existsText = (path: string, cwd: string): string =>
  `hookloop migrate: ${flat(shownPath(path, cwd))} already exists; nothing was changed. Without --write, it shows what would be added.\n`;

export const brokenText = (isWrite: boolean): string =>
  `These files are left out until their errors are fixed: hookloop check shows them.${isWrite ? ' Nothing was written.' : ''}\n`;

/** After the file was written. */
export function writtenText(plan: Migration, taken: readonly TakenAway[] | undefined, cwd: string): string {
  const files = filesOf(plan).map(flat);
  const old =
    taken === undefined
      ? [
          `The old files are still there, so these hooks run twice: ${files.join(', ')}`,
          `Take them away: ${movesScripts(plan) ? `rm ${flat(shownPath(plan.path, cwd))} && ` : ''}hookloop migrate${isUser(plan) ? ' --user' : ''} --write --remove`,
        ]
      : taken.map(takenLine);
  return [
    `Wrote ${flat(shownPath(plan.path, cwd))}.`,
    ...old,
    'Agents run these hooks once you trust them: hookloop trust',
    '',
  ].join('\n');
}

/** Its text will name other paths then. */
const movesScripts = ({ written }: Migration): boolean =>
  written.some(({ hook: { action } }) => action.kind === 'shell' && action.cwd === 'caller');

const isUser = ({ path, places }: Migration): boolean => !path.startsWith(`${places.root}/hookloop.yaml`);

function takenLine({ file, kind, detail = '' }: TakenAway): string {
  const name = flat(file);
  if (kind === 'removed') return `Removed ${name}`;
  if (kind === 'changed') return `Took its hooks out of ${name}`;
  return kind === 'moved' ? `Moved ${name} to ${flat(detail)}` : `Kept ${name}: ${flat(detail)}. Its hooks run twice`;
}

/** A contract with scripts. */
export const migrationJson = (plan: Migration, isWritten: boolean, taken: readonly TakenAway[] = []): unknown => ({
  file: plan.path,
  written: isWritten,
  yaml: plan.text ?? null,
  migrated: plan.written.map(({ hook, point, entry }) => ({ ...placed(hook), event: point, entry })),
  left: plan.left.map(({ hook, why }) => ({ ...placed(hook), why })),
  broken: plan.broken.map(({ at, message }) => ({ file: at.file, line: at.line, column: at.column, message })),
  notes: plan.notes,
  old: taken,
});

const placed = ({ source, name }: LeftHook['hook']): { file: string; line: number; hook: string } => ({
  ...{ file: source.file, line: source.line, hook: name },
});

/** As the person sees it from where they are. */
export const shownPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near || path;
};
