import type { Mask } from '../hooks/secrets/mask.ts';
import { type HookDefinition, isPending, type Places } from '../model/index.ts';
import { whyNotRunnable } from './list-kinds.ts';
import { actionWords, failureWords, feedbackWords, matchWords, timeoutWords } from './list-words.ts';
import type { Colours } from './print/paint.ts';
import { cut, flat, gap, largest, pad, row, textWidth, wrap } from './print/table.ts';

export interface TableOptions {
  places: Places;
  mask: Mask;
  colours: Colours;
  columns: number;
}

/** Hooks for people, grouped by event: where and what on the first line, how on the second. */
export function hookTable(hooks: readonly HookDefinition[], options: TableOptions): string {
  const listed = hooks.map(hook => toListed(hook, options));
  const layout = layoutFor([headings, ...listed], options.columns);
  const heading = linesOf(headings, layout).map(line => indent + options.colours.dim(line));
  const lines = listed.flatMap((one, at) => [
    ...eventLines(one, listed[at - 1], options.colours),
    ...hookLines(one, layout, options),
  ]);
  return `${[...heading, ...lines].join('\n')}\n`;
}

/** The texts of one hook. */
type Cells = Readonly<Record<'where' | 'dialect' | 'match' | 'action' | 'timeout' | 'failure' | 'feedback', string>>;

interface Listed extends Cells {
  hook: HookDefinition;
  why: string | undefined;
}

const headings: Cells = {
  where: 'WHERE',
  dialect: 'DIALECT',
  action: 'ACTION',
  timeout: 'TIMEOUT',
  failure: 'IF IT FAILS',
  feedback: 'TO AGENT',
  match: 'ONLY ...',
};

/** Secrets are masked before anything is cut: half a secret is no mask's business. */
function toListed(hook: HookDefinition, { places, mask }: TableOptions): Listed {
  const { file, line, scope, dialect } = hook.source;
  const isScript = hook.action.kind === 'shell' && hook.action.command === file;
  const path = file.startsWith(`${places.home}/`) ? `~${file.slice(places.home.length)}` : file;
  const isOwn = scope === 'project' || scope === 'stage' || scope === 'pipeline';
  const match = matchWords(hook);
  const why = whyNotRunnable(hook);
  return {
    hook,
    where: flat(isScript ? path : `${path}:${line}`),
    dialect: hook.root !== undefined ? `${dialect} (outer root)` : isOwn ? dialect : `${dialect} (${scope})`,
    match: match.length === 0 ? '' : `only ${flat(mask(match.join(', ')))}`,
    action: flat(mask(actionWords(hook))),
    timeout: timeoutWords(hook.timeoutMs),
    failure: failureWords(hook),
    feedback: feedbackWords(hook),
    why: why === undefined ? undefined : flat(mask(why)),
  };
}

const indent = '  ';

interface Layout {
  left: number;
  right: number;
  timeout: number;
  failure: number;
  feedback: number;
}

function layoutFor(rows: readonly Cells[], columns: number): Layout {
  const widest = (...names: (keyof Cells)[]): number =>
    largest(rows.flatMap(cells => names.map(name => textWidth(cells[name]))));
  const left = Math.min(widest('where', 'dialect'), Math.floor(columns * 0.36));
  return {
    left,
    right: Math.max(30, columns - indent.length - left - gap.length),
    timeout: widest('timeout'),
    // A long one may stick out rather than push all others away.
    failure: Math.min(widest('failure'), 24),
    feedback: widest('feedback'),
  };
}

/** Nothing is lost where it does not fit: cells go on to the next line, and only where and action are cut. */
function linesOf(cells: Cells, { left, right, ...widths }: Layout): string[] {
  const facts = (['timeout', 'failure', 'feedback'] as const).map(name => pad(cells[name], widths[name]));
  const lines = wrap([...facts, cells.match], right, gap)
    .map(line => line.trimEnd())
    .flatMap(line => (textWidth(line) <= right ? line : wrap(line.split(' '), right, ' ')))
    .filter(line => line !== '');
  return [
    row([cut(cells.where, left, 'start'), cut(cells.action, right)], [left, right]),
    ...lines.map((line, at) => row([at === 0 ? cells.dialect : '', cut(line, right)], [left, right])),
  ];
}

function hookLines(one: Listed, layout: Layout, { colours, columns }: TableOptions): string[] {
  const [first, ...rest] = linesOf(one, layout);
  const idle = one.why === undefined ? [] : wrap(`! will not run: ${one.why}`.split(' '), columns - 6, ' ');
  return [
    indent + (one.why === undefined ? first : colours.dim(first!)),
    ...rest.map(line => indent + colours.dim(line)),
    ...idle.map((line, at) => `${indent}${at === 0 ? '' : indent}${colours.yellow(line)}`),
  ];
}

function eventLines({ hook: { event } }: Listed, before: Listed | undefined, { bold, dim }: Colours): string[] {
  if (before?.hook.event === event) return [];
  return ['', `${bold(event)}${isPending(event) ? dim('  hooks may refuse it') : ''}`];
}
