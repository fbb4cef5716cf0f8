import { basename, dirname, join, relative, resolve } from 'node:path';
import type { HookDefinition, HookEvent, Match, Places, ToolMatch } from '../model/index.ts';
import { anyGit, callFiles, callKinds, callNames, callNamesForClaude, shellTextsOf } from '../model/tool-call.ts';
import { realPath } from '../platform/folders.ts';
import { filePattern, matcherPattern, namePattern } from './pattern.ts';

/** Why a hook does not apply to an event, or undefined if it does (its condition apart). */
export type WhyNot = (event: HookEvent) => string | undefined | Promise<string | undefined>;

/** Patterns are compiled when the first event asks for them. */
export function createMatch({ match }: HookDefinition, places: Places): WhyNot {
  let checks: readonly WhyNot[] | undefined;
  return event => {
    checks ??= checksOf(match, places);
    return firstReason(checks, 0, event);
  };
}

function checksOf({ notAgent, role, tool, files, field }: Match, places: Places): WhyNot[] {
  const checks: WhyNot[] = [];
  if (notAgent !== undefined)
    checks.push(event => (isAgent(event.agent, notAgent) ? `${notAgent} runs this hook itself` : undefined));
  if (role !== undefined) checks.push(event => (isPlanner(event) ? 'gates do not run for a planner' : undefined));
  if (tool) checks.push(toolCheck(tool));
  if (files) checks.push(filesCheck(files, places));
  if (field) checks.push(fieldCheck(field));
  return checks;
}

/** Goes on without a promise for as long as no check needs one: most events match nothing, and that must cost nothing. */
function firstReason(checks: readonly WhyNot[], from: number, event: HookEvent): ReturnType<WhyNot> {
  for (let at = from; at < checks.length; at += 1) {
    const why = checks[at]!(event);
    if (why instanceof Promise) return why.then(reason => reason ?? firstReason(checks, at + 1, event));
    if (why !== undefined) return why;
  }
  return undefined;
}

/** `claude`, `Claude`, `claude-code`. */
const isAgent = (agent: string | undefined, name: string): boolean =>
  agent !== undefined && agent.toLowerCase().split(/[ _-]/)[0] === name;

const isPlanner = ({ role, stage }: HookEvent): boolean =>
  role === undefined ? stage === 'plan' || stage === 'planning' : role === 'planner';

/** Many hooks ask the same of one event, which never changes. */
function remembered<T>(ask: (event: HookEvent) => T): (event: HookEvent) => T {
  const known = new WeakMap<HookEvent, T>();
  return event => {
    const answer = known.get(event) ?? ask(event);
    known.set(event, answer);
    return answer;
  };
}

const namesOf = remembered(callNames);
const claudeNamesOf = remembered(callNamesForClaude);
const kindsOf = remembered(callKinds);

function toolCheck(wanted: ToolMatch): WhyNot {
  if (wanted.kind === 'matcher') {
    const matches = matcherPattern(wanted.matcher);
    return event =>
      claudeNamesOf(event).some(matches) ? undefined : `tool is ${event.tool ?? 'not named'}, not ${wanted.matcher}`;
  }
  const patterns = wanted.names.map(namePattern);
  const wantsGit = wanted.names.some(name => /^git|[*?[]/i.test(name));
  const wantsAnyGit = wanted.names.some(name => /^git/i.test(name));
  // A git command that is known only when the shell runs may be any of them.
  const isWanted = (names: readonly string[]): boolean =>
    patterns.some(matches => names.some(matches)) || (wantsAnyGit && names.includes(anyGit));
  const not = (tool: string | undefined): string => `tool is ${tool ?? 'not named'}, not ${wanted.names.join(', ')}`;
  return event => {
    const { tool, input } = event;
    if (isWanted(namesOf(event))) return undefined;
    if (!wantsGit || !kindsOf(event).has('shell')) return not(tool);
    return gitNames(shellTextsOf(input)).then(names => (isWanted(names) ? undefined : not(tool)));
  };
}

let lastGit: { key: string; names: Promise<string[]> } | undefined;

/** `git_commit` is a shell call one of whose commands is that git command. Many hooks ask about the same call in a row. */
function gitNames(texts: readonly string[]): Promise<string[]> {
  const key = texts.join('\0');
  if (lastGit?.key !== key) lastGit = { key, names: parseGitNames(texts) };
  return lastGit.names;
}

async function parseGitNames(texts: readonly string[]): Promise<string[]> {
  // A shell call whose command cannot be found may run any of them.
  if (texts.length === 0) return [anyGit];
  const { gitCommands } = await import('../shell/git.ts');
  return texts.flatMap(gitCommands).map(command => `git_${command.replaceAll('-', '_')}`);
}

function filesCheck(wanted: readonly string[], places: Places): WhyNot {
  const patterns = wanted.map(filePattern);
  return event => {
    const files = callFiles(event);
    if (files.length === 0) return 'no file is named';
    const folders = event.cwd?.startsWith('/') ? [places.root, event.cwd] : [places.root];
    const paths = files.flatMap(file => folders.flatMap(folder => pathsInside(resolve(folder, file), places.root)));
    return patterns.some(matches => paths.some(matches))
      ? undefined
      : `${files.join(', ')} does not match ${wanted.join(',')}`;
  };
}

/** As it is written, and where it leads: a link has any name, and a project may be reached through one. */
const pathsInside = (path: string, root: string): readonly string[] => [
  relative(root, path),
  relative(realPath(root), realPath(path)),
  relative(realPath(root), join(realPath(dirname(path)), basename(path))),
];

function fieldCheck({ name, matcher, otherwise }: NonNullable<Match['field']>): WhyNot {
  const matches = matcherPattern(matcher);
  return event => {
    const value = event.extra?.[name] ?? event[name as keyof HookEvent] ?? otherwise;
    return typeof value === 'string' && matches(value)
      ? undefined
      : `${name} is ${typeof value === 'string' ? value : 'not given'}, not ${matcher}`;
  };
}
