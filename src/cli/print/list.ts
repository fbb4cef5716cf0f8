import { waysOf } from '../../app/events.ts';
import { type AllHooks, hookLocations, whyNotRunnable } from '../../app/list.ts';
import { type Action, type DialectName, type HookDefinition, isPending, type Places } from '../../model/index.ts';
import { type Mask, maskDeep } from '../../model/mask.ts';
import { counted } from '../../model/words.ts';
import { neverNotes } from './events.ts';
import { actionWords, failureWords, feedbackWords, hostOf, matchWords, timeoutWords } from './hooks.ts';
import type { Colours, Terminal } from './paint.ts';
import { columnWidths, gap, largest, row } from './table.ts';
import { cut, flat, pad, textWidth, wrap } from './text.ts';

export interface TableOptions extends Terminal {
  places: Places;
  mask: Mask;
}

/** Hooks for people, grouped by event: where and what on the first line, how on the second. */
export function hookTable(hooks: readonly HookDefinition[], options: TableOptions): string {
  const listed = hooks.map(hook => cellsOf(hook, options));
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
function cellsOf(hook: HookDefinition, { places, mask }: TableOptions): Listed {
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

/** What stands below the table. */
export function listNotes({ hooks, isEndIgnored }: Pick<AllHooks, 'hooks' | 'isEndIgnored'>): string {
  const idle = hooks.filter(hook => whyNotRunnable(hook) !== undefined).length;
  const leftTo = [...new Set(hooks.flatMap(({ match }) => match.notAgent ?? []))];
  const outerRoots = [...new Set(hooks.flatMap(({ root }) => root ?? []))];
  const lines = [
    `${counted(hooks.length, 'hook')}${idle === 0 ? '' : `, ${idle} will not run`}`,
    ...leftTo.map(agent => `While ${agent} is the agent it runs the ${agent} hooks itself.`),
    ...neverNotes(hooks.map(({ event }) => event)),
    ...outerRoots.map(root => `The gates of ${flat(root)} apply here as well; its other hooks do not.`),
    ...(isEndIgnored ? ['root: true does not count before its file is trusted: hookloop trust'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Told to someone who has no hooks yet: where they can be put. */
export function emptyText(places: Places): string {
  const shown = (path: string): string =>
    path.startsWith(`${places.home}/`) ? `~${path.slice(places.home.length)}` : path;
  const known = hookLocations(places);
  const rows = known.map(({ dialect, project }) => [project, purposes[dialect]]);
  const lines = [
    `No hooks apply in ${places.root}.`,
    '',
    'Hooks of this project can be put in:',
    ...rows.map(cells => `  ${row(cells, columnWidths(rows))}`),
    '',
    'Your own hooks, for all projects:',
    ...known.flatMap(({ user }) => (user === undefined ? [] : [`  ${shown(user)}`])),
    '',
    'For a start:',
    `  mkdir .sauna && echo '["npm test"]' > .sauna/hooks.json`,
    '',
    'hookloop events shows what hooks can be for.',
  ];
  return `${lines.join('\n')}\n`;
}

const purposes: Readonly<Record<DialectName, string>> = {
  native: 'everything: all events, all kinds of actions',
  sauna: 'gates: commands that must pass before a task is done',
  iteratr: 'commands around iterations; output goes to the agent',
  nyzhi: '[[agent.hooks]]: commands around tools and edits',
  babysitter: 'executable scripts, one folder for each type',
  claude: 'hooks as Claude Code has them',
  pipelines: 'hooks: in a pipeline or loop file',
};

/** One hook as `list --json` shows it. A contract with scripts: fields are added, never changed. */
export function listedJson(hook: HookDefinition, mask: Mask): unknown {
  const { id, event, source, match, wait, timeoutMs, onFailure, feedback } = hook;
  const why = whyNotRunnable(hook);
  return maskDeep(
    {
      id,
      event,
      dialect: source.dialect,
      scope: source.scope,
      file: source.file,
      line: source.line,
      ...(hook.root !== undefined && { root: hook.root }),
      action: toListedAction(hook.action),
      match,
      wait,
      timeoutMs,
      onFailure,
      feedback,
      runnable: why === undefined,
      ...(why !== undefined && { why }),
      firesIn: waysOf(event),
    },
    mask,
  );
}

/** Headers, bodies and inputs are left out: they often hold what no one should read in a log. */
function toListedAction(action: Action): Readonly<Record<string, unknown>> {
  switch (action.kind) {
    case 'shell':
      return { kind: 'shell', command: action.command, via: action.run.via, cwd: action.cwd };
    case 'webhook':
      return { kind: 'webhook', url: hostOf(action.url), method: action.method, approval: action.approval };
    case 'spawn':
      return { kind: 'spawn', pipeline: action.pipeline };
    case 'function':
      return { kind: 'function' };
    default:
      return { kind: action.kind, prompt: action.prompt };
  }
}
