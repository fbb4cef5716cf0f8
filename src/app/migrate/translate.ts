import { canRefuse } from '../../dialects/gates.ts';
import { native } from '../../dialects/index.ts';
import { type Action, type HookDefinition, isJudge, type Match, type Places, type Problem } from '../../model/index.ts';
import { commandOf } from './native-command.ts';
import { type Entry, entryOf, type Manner, mannersOf, needsAlways, type Parts } from './native-entry.ts';
import { type Likeness, likeness, wireOf } from './same-decisions.ts';
import { textsOf, whyBlind } from './same-input.ts';
import { toolWords } from './same-tools.ts';

/** A hook and what a native file has in its place, or why there is nothing that decides the same. */
export type Translated = { hook: HookDefinition } /** `now`: what the native reader makes of the entry. */ & (
  | { kind: 'entry'; point: string; entry: Entry; now: HookDefinition }
  | { kind: 'left'; why: string }
);

/**
 * Writes each hook as a native entry, has the native reader read it back, and keeps it only where both decide the same, run
 * the same, and are told the same. In the order in which they run.
 */
export function translate(hooks: readonly HookDefinition[], places: Places, scope: Scope): Translated[] {
  const chooser = createChooser();
  const gates = new Set<string>();
  return hooks.map(hook => {
    const found = draftOf(hook, places, scope, chooser);
    if (found.kind === 'left') return { hook, ...found };
    const isLate = needsAlways(hook, wireOf(hook).order) && gates.has(hook.event);
    if (canRefuse(found.now)) gates.add(hook.event);
    const entry = isLate ? { ...found.entry, always: true } : found.entry;
    return { hook, kind: 'entry', point: pointOf(hook), entry, now: found.now };
  });
}

type Draft = { kind: 'left'; why: string } | { kind: 'entry'; entry: Entry; now: HookDefinition };

function draftOf(hook: HookDefinition, places: Places, scope: Scope, chooser: Chooser): Draft {
  const left = (why: string): Draft => ({ kind: 'left', why });
  const off = hook.disabled ?? hook.unavailable;
  if (off !== undefined) return left(`it does not run: ${off}`);
  const own = whyOnlyClaude(hook);
  if (own !== undefined) return left(own);
  const when = conditionOf(hook.match);
  if (when.kind === 'none') return left(when.why);
  const texts = textsOf(hook, places);
  const parts: Parts = {
    point: pointOf(hook),
    command: commandOf(hook, texts, places),
    ...{ tool: toolWords(hook.match.tool, places), when: when.text },
    name: nameFor(hook),
  };
  const chosen = chooser(hook, scope);
  let why = chosen.why;
  for (const manner of chosen.manners) {
    const entry = entryOf(hook, parts, manner);
    const [now] = readBack([{ point: parts.point, entry }], scope);
    if (now === undefined || 'problem' in now) return left(now?.problem.message ?? why);
    const flaw = whyOther(hook, now, parts) ?? whyBlind(hook, now, texts, places);
    if (flaw === undefined) return { kind: 'entry', entry, now };
    why = flaw;
  }
  return left(why);
}

/** What native files have no words for. */
function whyOnlyClaude({ match, action, wakes, statusMessage }: HookDefinition): string | undefined {
  if (match.rule !== undefined) return `native hooks have no "if": ${match.rule}`;
  if (action.kind === 'mcp_tool') return 'native hooks call no tools of MCP servers';
  if (action.kind === 'webhook' && action.posts) return 'native webhooks are not answered with JSON';
  if (wakes) return 'native hooks have no asyncRewake';
  return statusMessage === undefined ? undefined : 'native hooks have no statusMessage';
}

/** Where it stands in a native file. A name that native files have taken over means there what it means here. */
const pointOf = ({ event, spelling, recovers }: HookDefinition): string =>
  spelling === 'on_error' && !recovers ? spelling : event;

type Scope = 'project' | 'user';
type Chooser = (hook: HookDefinition, scope: Scope) => Choice;

/** `why`: how the nearest of the others differs. */
interface Choice {
  manners: readonly Manner[];
  why: string;
}

/** Those manners in which a native hook decides as this one does, nearest first. Most hooks of a file are alike in this. */
function createChooser(): Chooser {
  const known = new Map<string, Choice>();
  return (hook, scope) => {
    const { event, spelling, onFailure, onTimeout, wait, feedback, settings, retry, timeoutMs } = hook;
    const { kind } = hook.action;
    const question = kind === 'webhook' ? hook.action : kind;
    const alike = { event, spelling, onFailure, onTimeout, wait, feedback, settings, retry, question };
    const key = JSON.stringify([hook.source.dialect, alike, timeoutMs === null]);
    const found = known.get(key) ?? choose(hook, scope);
    known.set(key, found);
    return found;
  };
}

function choose(hook: HookDefinition, scope: Scope): Choice {
  const manners = mannersOf(hook);
  // No one hears what it says.
  if (!hook.wait) return { manners, why: '' };
  const point = pointOf(hook);
  const parts: Parts = { point, command: 'true', tool: undefined, when: undefined, name: hook.name };
  const read = readBack(
    manners.map(manner => ({ point, entry: entryOf(hook, parts, manner) })),
    scope,
  );
  const likes = read.map((now): Likeness | undefined =>
    'problem' in now || now.wait !== hook.wait ? undefined : likeness(hook, now),
  );
  const others = likes.flatMap(like => (like?.kind === 'other' ? [like] : []));
  return {
    manners: (['same', 'more'] as const).flatMap(kind => manners.filter((_, at) => likes[at]?.kind === kind)),
    why: others.toSorted((a, b) => b.after - a.after)[0]?.why ?? 'no native hook decides the same',
  };
}

/** What the native reader makes of entries, each as if it stood alone. */
function readBack(
  written: readonly { point: string; entry: Entry }[],
  scope: Scope,
): (HookDefinition | { problem: Problem })[] {
  const location = native.locations.find(one => one.scope === scope)!;
  const file = 'hookloop.yaml';
  const points = [...new Set(written.map(({ point }) => point))];
  const hooksText = points.map(point => {
    const listed = written.filter(one => one.point === point).map(({ entry }) => JSON.stringify(entry));
    return `"${point}": [\n${listed.join(',\n')}\n]`;
  });
  // JSON is YAML. One entry a line: what is wrong with one is known by its line.
  const text = `{"hooks": {${hooksText.join(', ')}}}`;
  const found = { kind: 'text', location, path: `/${file}`, file, text } as const;
  const { hooks, problems } = native.normalise([found], { root: '/', repo: '/', cwd: '/', home: '/', config: '/' });
  const lineOf = ({ entry }: { entry: Entry }): number =>
    text.split('\n').findIndex(line => line.startsWith(JSON.stringify(entry))) + 1;
  return written.map(one => {
    const line = lineOf(one);
    const problem = problems.find(({ severity, at }) => severity === 'error' && at.line === line);
    return problem ? { problem } : hooks.find(({ source }) => source.line === line)!;
  });
}

/** Why a native hook is another one than it is meant to be. What it decides has been looked at before. */
function whyOther(hook: HookDefinition, now: HookDefinition, { command, when }: Parts): string | undefined {
  const flaw = otherCommand(hook, now, command);
  if (flaw !== undefined) return flaw;
  const asked = { event: hook.event, wait: hook.wait, timeoutMs: hook.timeoutMs, retry: hook.retry };
  const does = { event: now.event, wait: now.wait, timeoutMs: now.timeoutMs, retry: now.retry };
  const isSame =
    textFor(asked) === textFor(does) &&
    textFor([hook.match.files, when]) === textFor([now.match.files, now.match.when]) &&
    textFor(plainAction(hook.action)) === textFor(plainAction(now.action));
  return isSame ? undefined : 'a native entry would be read otherwise';
}

function otherCommand(
  { action }: HookDefinition,
  { action: now }: HookDefinition,
  written: string,
): string | undefined {
  if (action.kind !== 'shell' || now.kind !== 'shell' || now.run.via === 'exec') return undefined;
  const { run, command } = action;
  const script = run.via !== 'exec' && written === command ? run.script : written;
  if (now.run.script !== script) return 'a native file takes ${NAME} in it for one word';
  const plain = run.via === 'exec' ? undefined : run.plain;
  const renamed =
    plain && Object.fromEntries(Object.entries(plain).map(([name, is]) => [name.replace(/^HOOK_/, ''), is]));
  return textFor(renamed) === textFor(now.run.plain)
    ? undefined
    : 'a value in it would not be looked at before it runs';
}

/** What an action does, however it is written. */
function plainAction(action: Action): unknown {
  if (action.kind === 'shell') return action.kind;
  if (!isJudge(action)) return action;
  return { prompt: action.prompt, looks: action.kind !== 'prompt' && action.tools !== false };
}

const textFor = (value: unknown): string => JSON.stringify(sorted(value)) ?? '';

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      )
    : value;

/** A hook's own name; one that is the command, or a part of it, needs no saying. */
function nameFor({ name, action }: HookDefinition): string | undefined {
  const text = action.kind === 'shell' ? action.command : 'prompt' in action ? action.prompt : undefined;
  const isMade = text?.includes(name.replace(/ ?\.\.\.$/, '')) ?? new RegExp(`^${action.kind} `).test(name);
  return isMade ? undefined : name;
}

type Condition = { kind: 'text'; text: string | undefined } | { kind: 'none'; why: string };

/** What `when` says of a role and of the field that a matcher of Claude Code's looks at. */
function conditionOf({ when, role, field }: Match): Condition {
  const parts = [...(when === undefined ? [] : [when]), ...(role === undefined ? [] : ["ROLE != 'planner'"])];
  if (field !== undefined) {
    if (!/^[\w\- ,|]+$/.test(field.matcher))
      return { kind: 'none', why: `when has no regular expressions for "${field.matcher}" over ${field.name}` };
    const names = field.matcher.split(/[|,]/).map(name => name.trim());
    const taken = [...names, ...(field.otherwise !== undefined && names.includes(field.otherwise) ? [''] : [])];
    parts.push(`${field.name.toUpperCase()} in [${taken.map(name => `'${name}'`).join(', ')}]`);
  }
  return { kind: 'text', text: parts.length > 1 ? parts.map(part => `(${part})`).join(' && ') : parts[0] };
}
