import { waysOf } from '../../app/events.ts';
import { type AllHooks, hookLocations, whyNotRunnable } from '../../app/list.ts';
import {
  type Action,
  type DialectName,
  type EventName,
  type HookDefinition,
  isPending,
  type Places,
} from '../../model/index.ts';
import { type Mask, maskDeep } from '../../model/mask.ts';
import { counted } from '../../model/words.ts';
import { leftOutNotes, neverNotes } from './events.ts';
import { actionWords, failureWords, feedbackWords, hostOf, matchWords, nameWords, timeoutWords } from './hooks.ts';
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
interface Cells {
  where: string;
  dialect: string;
  action: string;
  /** Its timeout, what its failure means, when the agent hears of it. */
  facts: readonly string[];
  match: string;
}

interface Listed extends Cells {
  event: EventName;
  why: string | undefined;
}

const headings: Cells = {
  ...{ where: 'WHERE', dialect: 'DIALECT', action: 'ACTION', match: 'ONLY ...' },
  facts: ['TIMEOUT', 'IF IT FAILS', 'TO AGENT'],
};

/** Secrets are masked before anything is cut: half a secret is no mask's business. */
function cellsOf(hook: HookDefinition, { places, mask }: TableOptions): Listed {
  const { file, line, scope, dialect } = hook.source;
  const isScript = hook.action.kind === 'shell' && hook.action.command === file;
  const isOwn = scope === 'project' || scope === 'stage' || scope === 'pipeline';
  const match = matchWords(hook);
  const why = whyNotRunnable(hook);
  return {
    event: hook.event,
    where: flat(`${fromHome(file, places)}${isScript ? '' : `:${line}`}`),
    dialect: hook.root !== undefined ? `${dialect} (outer root)` : isOwn ? dialect : `${dialect} (${scope})`,
    action: flat(mask([nameWords(hook), actionWords(hook)].filter(Boolean).join(' '))),
    facts: [timeoutWords(hook.timeoutMs), failureWords(hook), feedbackWords(hook)],
    match: match.length === 0 ? '' : `only ${flat(mask(match.join(', ')))}`,
    why: why === undefined ? undefined : flat(mask(why)),
  };
}

const fromHome = (path: string, { home }: Places): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;

const indent = '  ';

interface Layout {
  left: number;
  right: number;
  facts: readonly number[];
}

function layoutFor(rows: readonly Cells[], columns: number): Layout {
  const widest = largest(rows.flatMap(({ where, dialect }) => [textWidth(where), textWidth(dialect)]));
  const left = Math.min(widest, Math.floor(columns * 0.36));
  const [timeout = 0, failure = 0, feedback = 0] = columnWidths(rows.map(({ facts }) => facts));
  return {
    left,
    right: Math.max(30, columns - indent.length - left - gap.length),
    // What a failure means may stick out where it is long, rather than push all others away.
    facts: [timeout, Math.min(failure, 24), feedback],
  };
}

/** Nothing is lost where it does not fit: cells go on to the next line, and only where and action are cut. */
function linesOf(cells: Cells, { left, right, facts: widths }: Layout): string[] {
  const facts = cells.facts.map((fact, at) => pad(fact, widths[at]!));
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

function eventLines({ event }: Listed, before: Listed | undefined, { bold, dim }: Colours): string[] {
  if (before?.event === event) return [];
  return ['', `${bold(event)}${isPending(event) ? dim('  hooks may refuse it') : ''}`];
}

/** What stands below the table. */
export function listNotes({
  hooks,
  leftOut,
  isEndIgnored,
}: Pick<AllHooks, 'hooks' | 'leftOut' | 'isEndIgnored'>): string {
  const idle = hooks.filter(hook => whyNotRunnable(hook) !== undefined).length;
  const leftTo = [...new Set(hooks.flatMap(({ match }) => match.notAgent ?? []))];
  const outerRoots = [...new Set(hooks.flatMap(({ root }) => root ?? []))];
  const lines = [
    `${counted(hooks.length, 'hook')}${idle === 0 ? '' : `, ${idle} will not run`}`,
    ...leftTo.map(agent => `While ${agent} is the agent it runs the ${agent} hooks itself.`),
    ...neverNotes(hooks.map(({ event }) => event)),
    ...leftOutNotes(leftOut),
    ...outerRoots.map(root => `The gates of ${flat(root)} also apply here; its other hooks do not.`),
    ...(isEndIgnored ? ['root: true has no effect until its file is trusted: hookloop trust'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Told to someone who has no hooks yet: where they can be put. */
export function emptyText({ places, leftOut }: Pick<AllHooks, 'places' | 'leftOut'>): string {
  const known = hookLocations(places);
  const rows = known.map(({ dialect, project }) => [project, purposes[dialect]]);
  const lines = [
    `No hooks apply in ${places.root}.`,
    '',
    'Hooks for this project can go in:',
    ...rows.map(cells => `  ${row(cells, columnWidths(rows))}`),
    '',
    'Your own hooks, for all projects:',
    ...known.flatMap(({ user }) => (user === undefined ? [] : [`  ${fromHome(user, places)}`])),
    '',
    'hookloop init writes a first hookloop.yaml; hookloop events shows the events hooks can be for.',
    ...leftOutNotes(leftOut),
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
  const { id, event, name, root, match, wait, timeoutMs, onFailure, feedback, flaky, shadow } = hook;
  const { dialect, scope, file, line } = hook.source;
  const why = whyNotRunnable(hook);
  const listed = {
    ...{ id, event, name, dialect, scope, file, line, root },
    action: toListedAction(hook.action),
    ...{ match, wait, timeoutMs, onFailure, feedback, flaky, ...(shadow && { mode: 'shadow' }) },
    ...{ runnable: why === undefined, why, firesIn: waysOf(event) },
  };
  return maskDeep(listed, mask);
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
    case 'mcp_tool':
      return { kind: 'mcp_tool', server: action.server, tool: action.tool };
    case 'ask':
      return { kind: 'ask', question: action.question };
    case 'deny':
    case 'tell':
      return { kind: action.kind, text: action.text };
    default:
      return { kind: action.kind, prompt: action.prompt };
  }
}
