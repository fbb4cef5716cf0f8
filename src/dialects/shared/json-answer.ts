import type { ActionOutcome, HookEvent, Interpretation, Verdict } from '../../model/index.ts';
import { fieldsOf, isObject, jsonOf } from '../../model/json.ts';
import { inputFromClaude } from './tool-input.ts';

/** The JSON object a hook printed on stdout, in the words of Claude Code that other systems have taken over. */
export type Answer = Readonly<Record<string, unknown>>;

/** What an answer says; all undefined where there was none. */
export interface ReadAnswer {
  /** Undefined where the answer decides nothing. */
  verdict?: Verdict | undefined;
  /** Text for the agent. */
  context?: string | undefined;
  /** Text for the person. */
  message?: string | undefined;
  /** What the tool is to be called with instead, in Claude's fields. */
  input?: unknown;
  /** What the agent is to see instead of the tool's own output. */
  output?: unknown;
  warning?: string | undefined;
}

/** undefined for everything that is not one JSON object. */
export function parseAnswer(stdout: string): Answer | undefined {
  return startsObject(stdout) ? (jsonOf(stdout.trim()) as Answer | undefined) : undefined;
}

/** An answer too long to be held has a hole in it. Who made it that long must not decide by that: it counts as a no. */
export function unreadableAnswer(
  { stdout, truncated }: Extract<ActionOutcome, { kind: 'exited' }>,
  name: string,
): Verdict | undefined {
  const isCut = truncated !== undefined && truncated.stdoutBytes > Buffer.byteLength(stdout);
  if (!isCut || !startsObject(stdout)) return undefined;
  return { kind: 'rejected', reason: `${name}: its answer has ${truncated.stdoutBytes} bytes, more than can be read` };
}

export const startsObject = (stdout: string): boolean => stdout.trimStart().startsWith('{');

/** `otherwise` is the reason for a refusal that gives none. */
export function readAnswer(answer: Answer, otherwise: string): ReadAnswer {
  const specific = fieldsOf(answer['hookSpecificOutput']);
  const said = statementsOf(answer, specific);
  return {
    verdict: verdictOf(answer, said, otherwise),
    context: textOf(specific['additionalContext']) || textOf(answer['additionalContext']) || undefined,
    message: textOf(answer['systemMessage']) || undefined,
    input: specific['updatedInput'] ?? fieldsOf(specific['decision'])['updatedInput'],
    output: specific['updatedToolOutput'] ?? specific['updatedMCPToolOutput'],
    warning: warningFor(said),
  };
}

/** The verdict, and what was said for the agent, the person and the record. */
export function interpretAnswer(
  given: Verdict,
  answer: Answer | undefined,
  said: ReadAnswer,
  event: HookEvent,
): Interpretation {
  const { message } = said;
  // Who adds to the context at the end of a turn wants it read: the agent goes on.
  const goesOn = given.kind === 'passed' && !said.verdict && said.context && event.name.endsWith('.ending');
  const verdict: Verdict = goesOn ? { kind: 'rejected', reason: said.context! } : given;
  const change = said.input === undefined ? {} : changeOf(said.input, event);
  const warning = said.warning ?? change.warning;
  const refusal = verdict.kind === 'rejected' || verdict.kind === 'asked' ? verdict.reason : undefined;
  const feedback = [...new Set([refusal, said.context])].filter(Boolean).join('\n');
  return {
    verdict,
    ...(answer && { answer }),
    ...(feedback && { feedback }),
    ...(message && { message }),
    ...('input' in change && { input: change.input }),
    ...(event.name === 'tool.called' && said.output !== undefined && { output: said.output }),
    ...(warning && { warning }),
  };
}

function changeOf(changed: unknown, event: HookEvent): { input?: unknown; warning?: string } {
  if (event.name !== 'tool.calling' && event.name !== 'permission.requesting') return {};
  return isObject(changed)
    ? { input: inputFromClaude(event, changed) }
    : { warning: 'updatedInput is not an object, so the tool keeps its input' };
}

/** Exit code 2 refuses whatever the answer says; its reason is the answer's, else what the hook wrote on stderr, else `silent`. */
export function readExitTwo(outcome: Extract<ActionOutcome, { kind: 'exited' }>, silent: string): Verdict {
  const answer = parseAnswer(outcome.stdout);
  const stderr = outcome.stderr.trim();
  const guess = outcome.stdout.trim() === '' && isShellError(stderr) ? `${stderr} (may be a shell error)` : stderr;
  const otherwise = guess || silent;
  if (!answer) return { kind: 'rejected', reason: otherwise };
  const { verdict } = readAnswer(answer, otherwise);
  if (verdict?.kind === 'stopped' || verdict?.kind === 'rejected') return verdict;
  return { kind: 'rejected', reason: textOf(answer['reason']) || otherwise };
}

interface Statement {
  word: unknown;
  reason: unknown;
}

const meanings: ReadonlyMap<unknown, 'rejected' | 'asked' | 'passed'> = new Map([
  ['deny', 'rejected'],
  ['block', 'rejected'],
  ['ask', 'asked'],
  ['allow', 'passed'],
  ['approve', 'passed'],
  ['defer', 'passed'],
]);

/** Every place where an answer may decide. */
function statementsOf(answer: Answer, specific: Answer): Statement[] {
  const decisions = [answer['decision'], specific['decision']].map(decision =>
    isObject(decision)
      ? { word: decision['behavior'], reason: decision['message'] }
      : { word: decision, reason: answer['reason'] },
  );
  const permissions = [specific, answer].map(place => ({
    word: place['permissionDecision'],
    reason: place['permissionDecisionReason'],
  }));
  return [...permissions, ...decisions].filter(({ word }) => word !== undefined && word !== null);
}

function verdictOf(answer: Answer, said: readonly Statement[], otherwise: string): Verdict | undefined {
  const reasonOf = (reason: unknown) => textOf(reason) || textOf(answer['reason']) || otherwise;
  if (answer['continue'] === false)
    // The end of a session is told to people: one line is enough where the hook gave no reason.
    return {
      kind: 'stopped',
      reason: textOf(answer['stopReason']) || textOf(answer['reason']) || firstLine(otherwise),
    };
  const decision = fieldsOf(fieldsOf(answer['hookSpecificOutput'])['decision']);
  // As if the user had stopped the agent there.
  if (decision['behavior'] === 'deny' && decision['interrupt'] === true)
    return { kind: 'stopped', reason: textOf(decision['message']) || firstLine(otherwise) };
  for (const kind of ['rejected', 'asked'] as const) {
    const statement = said.find(({ word }) => meanings.get(word) === kind);
    if (statement) return { kind, reason: reasonOf(statement.reason) };
  }
  return said.some(({ word }) => meanings.has(word)) ? { kind: 'passed' } : undefined;
}

function warningFor(said: readonly Statement[]): string | undefined {
  const unknown = said.find(({ word }) => !meanings.has(word));
  return unknown && `unknown decision ${JSON.stringify(unknown.word)}: write "block", "deny", "ask" or "allow"`;
}

/** A shell puts its own name and the line in front: `sh: 1: Syntax error`, `x.sh: line 3: unexpected EOF`. */
const isShellError = (stderr: string): boolean => /(?:^|[\n/.])(?:ba|da|k|z)?sh: (?:-c: )?(?:line )?\d+: /.test(stderr);

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
