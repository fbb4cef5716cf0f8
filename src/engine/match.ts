import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  type HookDefinition,
  type HookEvent,
  type Match,
  type Places,
  roleOf,
  type ToolMatch,
} from '../model/index.ts';
import { anyGit, callFiles, callKinds, callNames, callNamesForClaude, shellTextsOf } from '../model/tool-call.ts';
import { realPath } from '../platform/folders.ts';
import type { CommandPattern, ShellCommands } from '../shell/commands.ts';
import { filePattern, matcherPattern, namePattern } from './pattern.ts';
import type { RuleMatches } from './permission-rule.ts';
import { plainPattern, plainText } from './plain-command.ts';

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

function checksOf({ notAgent, role, tool, command, agent, files, field, rule }: Match, places: Places): WhyNot[] {
  const checks: WhyNot[] = [];
  if (notAgent !== undefined)
    checks.push(event => (isAgent(event.agent, notAgent) ? `${notAgent} runs this hook itself` : undefined));
  if (role !== undefined)
    checks.push(event => (roleOf(event) === 'planner' ? 'gates do not run for a planner' : undefined));
  if (tool) checks.push(toolCheck(tool));
  if (agent) checks.push(agentCheck(agent));
  if (command) checks.push(commandCheck(command));
  if (files) checks.push(filesCheck(files, places));
  if (field) checks.push(fieldCheck(field));
  if (rule !== undefined) checks.push(ruleCheck(rule, places));
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

function agentCheck(wanted: readonly string[]): WhyNot {
  const patterns = wanted.map(namePattern);
  return ({ agent = '' }) =>
    patterns.some(matches => matches(agent) || matches(agent.split(/[ _-]/)[0]!))
      ? undefined
      : `agent is ${agent || 'not named'}, not ${wanted.join(', ')}`;
}

/** Reading a shell text takes the shell's grammar; it is loaded when the first shell call that needs it meets a rule about commands. */
function commandCheck({ patterns, open }: NonNullable<Match['command']>): WhyNot {
  let held: readonly CommandPattern[] | undefined;
  const plainly = patterns.map(plainPattern);
  const not = `no command is ${patterns.join(', ')}`;
  return event => {
    if (!kindsOf(event).has('shell')) return not;
    const told = plainTextsOf(event).flatMap(plain => plainly.map(holds => plain && holds(plain)));
    if (told.includes('matches')) return undefined;
    if (told.length > 0 && told.every(answer => answer === 'differs')) return not;
    const whyNot = ({ shell, called }: CalledCommands): string | undefined => {
      held ??= patterns.map(pattern => shell.commandPattern(pattern, namePattern));
      const found = called.flatMap(commands => held!.map(holds => holds(commands)));
      const isUnclear = called.length === 0 || found.includes('maybe');
      return found.includes('matches') || (isUnclear && open === 'matches') ? undefined : not;
    };
    const called = commandsOf(event);
    return called instanceof Promise ? called.then(whyNot) : whyNot(called);
  };
}

const textsOf = remembered(({ input }: HookEvent) => shellTextsOf(input));
const plainTextsOf = remembered((event: HookEvent) => textsOf(event).map(plainText));

interface CalledCommands {
  shell: typeof import('../shell/commands.ts');
  called: readonly ShellCommands[];
}

const callsRead = new WeakMap<HookEvent, CalledCommands | Promise<CalledCommands>>();

/** Read once for all rules of an event; a promise only to the first of them. */
function commandsOf(event: HookEvent): CalledCommands | Promise<CalledCommands> {
  const known = callsRead.get(event);
  if (known) return known;
  const reading = import('../shell/commands.ts').then(shell => {
    const read = { shell, called: textsOf(event).map(shell.shellCommands) };
    callsRead.set(event, read);
    return read;
  });
  callsRead.set(event, reading);
  return reading;
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

function filesCheck(wanted: readonly string[], { root }: Places): WhyNot {
  const patterns = wanted.map(filePattern);
  return event => {
    if (event.name === 'task.completing') return changedCheck(event.changedFiles, patterns, wanted);
    const { files, paths } = filesIn(event, root);
    if (files.length === 0) return 'no file is named';
    return patterns.some(matches => paths.some(matches))
      ? undefined
      : `${files.join(', ')} does not match ${wanted.join(',')}`;
  };
}

/** What was done for a task. Where no one knows that, its gates run. */
const changedCheck = (
  changed: readonly string[] | undefined,
  patterns: readonly ((path: string) => boolean)[],
  wanted: readonly string[],
): string | undefined =>
  changed === undefined || patterns.some(matches => changed.some(matches))
    ? undefined
    : `no file that changed since the task began matches ${wanted.join(', ')}`;

interface FilesOfCall {
  root: string;
  files: readonly string[];
  paths: readonly string[];
}

const filesRead = new WeakMap<HookEvent, FilesOfCall>();

/** Where they lead the disk has to be asked, once for all hooks of an event and of one root. */
function filesIn(event: HookEvent, root: string): FilesOfCall {
  const known = filesRead.get(event);
  if (known?.root === root) return known;
  const files = callFiles(event);
  const folders = event.cwd?.startsWith('/') ? [root, event.cwd] : [root];
  const paths = files.flatMap(file => folders.flatMap(folder => pathsInside(resolve(folder, file), root)));
  const read = { root, files, paths: [...new Set(paths)] };
  filesRead.set(event, read);
  return read;
}

/** As it is written, and where it leads: a link has any name, and a project may be reached through one. */
const pathsInside = (path: string, root: string): readonly string[] => [
  relative(root, path),
  relative(realPath(root), realPath(path)),
  relative(realPath(root), join(realPath(dirname(path)), basename(path))),
];

/** Few hooks have one, so its reader is loaded when the first is met. */
function ruleCheck(rule: string, places: Places): WhyNot {
  let holds: Promise<RuleMatches> | undefined;
  return async event => {
    holds ??= import('./permission-rule.ts').then(({ permissionRule }) => permissionRule(rule, places));
    return (await (await holds)(event)) ? undefined : `it is not about ${rule}`;
  };
}

function fieldCheck({ name, matcher, otherwise }: NonNullable<Match['field']>): WhyNot {
  const matches = matcherPattern(matcher);
  return event => {
    const value = event.extra?.[name] ?? event[name as keyof HookEvent] ?? otherwise;
    return typeof value === 'string' && matches(value)
      ? undefined
      : `${name} is ${typeof value === 'string' ? value : 'not given'}, not ${matcher}`;
  };
}
