import type { Refusal } from '../model/index.ts';
import type { Answer, Host, NativeEvent, Reply } from './host.ts';

export const silence: Answer = { stdout: '', stderr: '', exitCode: 0 };

export const json = (value: object): Answer => ({ ...silence, stdout: `${JSON.stringify(value)}\n` });

/** JSON with what hooks have to say to the person besides; silence where there is nothing to say. */
export function withMessage(said: Said, message: string | undefined): Answer {
  const systemMessage = [said.systemMessage, message].filter(Boolean).join('\n');
  const whole = { ...said, ...(systemMessage !== '' && { systemMessage }) };
  return Object.keys(whole).length === 0 ? silence : json(whole);
}

/** Fields of an answer in JSON. */
export type Said = Readonly<Record<string, unknown>> & { systemMessage?: string };

/** For an agent that reads nothing on this event: people may still see it. */
export const told = (text: string): Answer => ({ ...silence, stderr: `${text}\n` });

/** Never empty: an agent that gets a refusal without a reason may take it for a mistake and go on. */
export const reasonOf = ({ reason, by }: Refusal): string => reason.trim() || `refused by ${by}`;

/** The reason, and what the hooks that had nothing against it said. */
export const refusalWithFeedback = (refusal: Refusal, { feedback }: Reply): string =>
  [reasonOf(refusal), feedback.trim()].filter(text => text !== '').join('\n');

export const contextOf = (native: string, additionalContext: string): Said => aboutEvent(native, { additionalContext });

const aboutEvent = (native: string, fields: object): Said => ({
  hookSpecificOutput: { hookEventName: native, ...fields },
});

/** What an agent of Claude's family understands beyond yes and no. An answer with anything else in it may be thrown away whole. */
export interface Grammar {
  events: Host['events'];
  /** `permissionDecision: "ask"`. */
  ask: boolean;
  /** `continue: false` on events other than the end of a turn. */
  end: boolean;
  /** How it is told to call a tool with another input. */
  changes(input: unknown): object;
  /** Events that are refused by exit code 2. */
  byExitCode?: readonly string[];
  /** Events that are refused by `continue: false` and by nothing else. */
  byStop?: readonly string[];
}

/** JSON with `hookSpecificOutput`, as Claude Code, Qwen Code and Codex read it. */
export const nestedAnswer =
  (grammar: Grammar): Host['answer'] =>
  (native, reply) => {
    const { decision, feedback, message, input, output } = reply;
    const spec = Object.hasOwn(grammar.events, native) ? grammar.events[native]! : undefined;
    const text = decision.kind === 'proceed' ? '' : refusalWithFeedback(decision, reply);
    // Of such an event no one reads the answer.
    if (!spec?.blocks && !spec?.feedback) return text === '' ? silence : told(text);
    if (decision.kind === 'proceed') {
      const said = {
        ...(feedback !== '' && spec.feedback && { additionalContext: feedback }),
        ...(input !== undefined && grammar.changes(input)),
        ...(output !== undefined && { updatedToolOutput: output }),
      };
      return withMessage(Object.keys(said).length === 0 ? {} : aboutEvent(native, said), message);
    }
    if (grammar.byExitCode?.includes(native) && decision.kind !== 'abort')
      return { ...silence, stderr: `${notMissing(text)}\n`, exitCode: 2 };
    return withMessage(refuse(native, spec, decision, text, grammar, input), message);
  };

function refuse(
  native: string,
  { fires, blocks }: NativeEvent,
  refusal: Refusal,
  text: string,
  grammar: Grammar,
  input: unknown,
): Said {
  const isAsking = refusal.kind === 'block' && refusal.ask === true;
  const isEnd = refusal.kind === 'abort';
  const stop = { continue: false, stopReason: text };
  const end = isEnd && grammar.end ? stop : {};
  if (fires.includes('tool.calling')) {
    const permissionDecision = isAsking && grammar.ask ? 'ask' : 'deny';
    const changed = permissionDecision === 'ask' && input !== undefined ? grammar.changes(input) : {};
    return { ...end, ...aboutEvent(native, { permissionDecision, permissionDecisionReason: text, ...changed }) };
  }
  if (fires.includes('permission.requesting')) {
    // The user is being asked already.
    if (isAsking) return {};
    const interrupt = isEnd && grammar.end ? { interrupt: true } : {};
    return aboutEvent(native, { decision: { behavior: 'deny', message: text, ...interrupt } });
  }
  if (grammar.byStop?.includes(native)) return stop;
  // A turn that is refused goes on; one after which the session is over must not.
  if (isEnd && (fires.some(name => name.endsWith('.ending')) || grammar.byExitCode?.includes(native))) return stop;
  if (blocks) return { ...end, decision: 'block', reason: text };
  // It cannot be refused, but it shows a message.
  return { ...end, systemMessage: text, ...contextOf(native, text) };
}

/** Claude Code takes such words for those of a shell that misses our script, and goes on. */
const notMissing = (text: string): string =>
  text.replaceAll(/no such file|can't open/gi, words => words.replace(' ', '  '));
