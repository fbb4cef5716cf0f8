import {
  type ActionOutcome,
  type EventName,
  type HookDefinition,
  type HookEvent,
  isPending,
  meaningOf,
  type Output,
  type Verdict,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';

export const succeeded = (outcome: ActionOutcome): boolean =>
  (outcome.kind === 'exited' && outcome.exitCode === 0) ||
  (outcome.kind === 'replied' && outcome.status >= 200 && outcome.status < 300) ||
  (outcome.kind === 'child-finished' && outcome.succeeded) ||
  (outcome.kind === 'judged' && outcome.ok) ||
  (outcome.kind === 'answered' && meaningOf(outcome.action) === 'approve');

/** Zero passes, everything else (also what could not start or was killed) fails. */
export const byExitCode = (outcome: ActionOutcome, name: string): Verdict =>
  succeeded(outcome) ? { kind: 'passed' } : { kind: 'failed', reason: `${name}: ${outcomeWords(outcome)}` };

export const outputOf = (outcome: ActionOutcome): Output =>
  'stdout' in outcome ? outcome : { stdout: '', stderr: outcome.kind === 'not-started' ? outcome.reason : '' };

/** The variables that every shell hook may use, whichever dialect it is written in. */
export function hookVariables(event: HookEvent): Record<string, string> {
  return {
    HOOK_EVENT: event.name,
    HOOK_SESSION: event.session ?? '',
    HOOK_ITERATION: event.iteration === undefined ? '' : String(event.iteration),
    HOOK_TASK_ID: event.taskId ?? '',
    HOOK_TASK_CONTENT: event.content ?? '',
    HOOK_ERROR: event.error ?? '',
    HOOK_FILE: event.file?.replaceAll('\0', '') ?? '',
    ...(event.workspace !== undefined && { HOOK_WORKSPACE: event.workspace }),
  };
}

/** Programs take a name that starts with a dash or a sign for an option or a command: such a path is made absolute. */
export function plainPath(file: string, root: string): string {
  const path = file.replaceAll('\0', '');
  // Made here: compiling it costs a third of a millisecond, and most events have no file.
  return /^($|[\p{L}\p{N}_/]|\.{1,2}\/)/u.test(path) ? path : `${root}/${path}`;
}

/**
 * What an agent is told by a hook that refuses and has no words of its own: which hook, which command, how it ended, all
 * it printed, and what to do next. The engine cuts it to size.
 */
export function refusalMessage(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): string {
  const { refused, next } = isPending(event.name) ? pendingWords(event) : afterwardsWords(event);
  const lines = [
    `Hook "${shortName(hook)}" ${refused}: ${endingOf(outcome, hook)}.`,
    hook.action.kind === 'shell' ? `$ ${hook.action.command.trim()}` : '',
    ...foundBy(outcome),
    next,
  ];
  return lines.filter(line => line !== '').join('\n');
}

interface Words {
  refused: string;
  /** Empty where no agent is at work yet. */
  next: string;
}

function pendingWords({ name, tool }: HookEvent): Words {
  if (name === 'tool.calling')
    return {
      refused: `refused this call of ${tool ?? 'a tool'}`,
      next: 'Do not repeat this call unchanged.',
    };
  return waysOn[name] ?? { refused: `refused ${name}`, next: '' };
}

const waysOn: { readonly [Name in EventName]?: Words } = {
  'task.completing': { refused: 'refused this task', next: 'Fix this, then finish the task again.' },
  'turn.ending': { refused: 'refused the end of this turn', next: 'Fix this, then end the turn again.' },
  'prompt.submitting': { refused: 'refused this prompt', next: 'Change the prompt, then send it again.' },
  'permission.requesting': { refused: 'refused this permission', next: 'Go on without it.' },
  'commit.creating': { refused: 'refused this commit', next: 'Fix this, then commit again.' },
  'branch.creating': { refused: 'refused this branch', next: 'Fix this, then create the branch again.' },
  'teammate.idling': { refused: 'refused to let this teammate stop', next: 'Fix this, then stop again.' },
  'subagent.ending': { refused: 'refused the end of this subagent', next: 'Fix this, then end again.' },
  'config.changing': { refused: 'refused this setting', next: 'Go on without it.' },
  'session.starting': { refused: 'refused the start of this session', next: '' },
  'stage.starting': { refused: 'refused the start of this stage', next: '' },
  'iteration.starting': { refused: 'refused the start of this iteration', next: '' },
  'task.starting': { refused: 'refused the start of this task', next: '' },
  'step.dispatching': { refused: 'refused this step', next: '' },
};

function afterwardsWords({ name, tool, file }: HookEvent): Words {
  const next = 'Fix this before you go on.';
  if (name === 'file.edited') return { refused: `refused the edit of ${file ?? 'a file'}`, next };
  if (name.startsWith('tool.')) return { refused: `refused the result of ${tool ?? 'a tool'}`, next };
  return { refused: `failed after ${name}`, next };
}

const maxNameChars = 100;

function shortName({ name }: HookDefinition): string {
  const [line = ''] = name.trim().split('\n', 1);
  return line.length > maxNameChars ? `${line.slice(0, maxNameChars - 3)}...` : line;
}

function endingOf(outcome: ActionOutcome, { action }: HookDefinition): string {
  // A gate whose answer does not count has one given for it.
  if (outcome.kind === 'judged') return action.kind === 'shell' ? 'its answer does not count' : 'the judge said no';
  if (outcome.kind === 'no-answer' && action.kind === 'mcp_tool') return outcome.reason;
  if (outcome.kind === 'no-answer') return `the judge gave no answer (${outcome.reason})`;
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return 'its answer says no';
  if (outcome.kind === 'answered') return `${outcome.by ?? 'someone'} answered "${outcome.action}"`;
  if (outcome.kind === 'timed-out' && action.kind === 'ask')
    return `no one answered within ${outcome.afterMs / 1000} s`;
  const from = outcome.kind === 'replied' && action.kind === 'webhook' ? hostOf(action.url) : '';
  return `${outcomeWords(outcome).replace(/\.$/, '')}${from}`;
}

/** Paths and queries of URLs are often secret. */
function hostOf(url: string): string {
  const host = /^\w+:\/\/(?:[^/?#]*@)?([^/?#$]+)(?![^/?#])/.exec(url)?.[1];
  return host === undefined ? '' : ` from ${host}`;
}

function foundBy(outcome: ActionOutcome): string[] {
  if (outcome.kind === 'judged') return [outcome.reason.trim()];
  if (outcome.kind === 'answered') return [outcome.message.trim()];
  if (outcome.kind === 'replied') return [outcome.body];
  if (outcome.kind === 'child-finished') return [outcome.output.trim()];
  // What a hook that ended well has printed is its answer, in a language that is not for the agent.
  if (!('stdout' in outcome) || (outcome.kind === 'exited' && outcome.exitCode === 0)) return [];
  return [outcome.stdout, outcome.stderr].map(text => text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd());
}
