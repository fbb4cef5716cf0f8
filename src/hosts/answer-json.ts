import type { Refusal } from '../model/index.ts';
import type { Answer, Host, Reply } from './host.ts';

export const silence: Answer = { stdout: '', stderr: '', exitCode: 0 };

export const json = (value: object): Answer => ({ ...silence, stdout: `${JSON.stringify(value)}\n` });

/** The answer with what hooks have to say to the person, where the agent reads JSON here. */
export function withMessage(answer: Answer, message: string | undefined): Answer {
  if (message === undefined || answer.exitCode !== 0) return answer;
  const said = answer.stdout === '' ? {} : (JSON.parse(answer.stdout) as { systemMessage?: string });
  const systemMessage = [said.systemMessage, message].filter(Boolean).join('\n');
  return { ...answer, ...json({ ...said, systemMessage }), stderr: answer.stderr };
}

/** For an agent that reads nothing on this event: people may still see it. */
export const told = (text: string): Answer => ({ ...silence, stderr: `${text}\n` });

/** Never empty: an agent that gets a refusal without a reason may take it for a mistake and go on. */
export const reasonOf = ({ reason, by }: Refusal): string => reason.trim() || `refused by ${by}`;

/** The reason, and what the hooks that had nothing against it said. */
export const refusalWithFeedback = (refusal: Refusal, { feedback }: Reply): string =>
  [reasonOf(refusal), feedback.trim()].filter(text => text !== '').join('\n');

export const contextOf = (native: string, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName: native, additionalContext },
});

/** What an agent of Claude's family understands beyond yes and no. An answer with anything else in it may be thrown away whole. */
export interface Grammar {
  events: Host['events'];
  /** `permissionDecision: "ask"`. */
  ask: boolean;
  /** `continue: false` on events other than the end of a turn. */
  end: boolean;
  /** Events that are refused by exit code 2. */
  byExitCode?: readonly string[];
}

/** JSON with `hookSpecificOutput`, as Claude Code, Qwen Code and Codex read it. */
export const nestedAnswer =
  (grammar: Grammar): Host['answer'] =>
  (native, reply) => {
    const { decision, feedback } = reply;
    const isHeard = feedback !== '' && takesContext(grammar, native);
    const answer =
      decision.kind !== 'proceed'
        ? refuse(native, decision, reply, grammar)
        : isHeard
          ? json(contextOf(native, feedback))
          : silence;
    return styleOf(grammar, native) === undefined ? answer : withMessage(answer, reply.message);
  };

const takesContext = ({ events }: Grammar, native: string): boolean => events[native]?.feedback === true;

/**
 * How an event says no. `permission`, `request`: about a tool call and about the question to the user. `decision`:
 * `decision: "block"`. `turn`: the same, and the agent goes on. `tell`: it cannot, but it shows a message. Of others no
 * one reads the answer.
 */
function styleOf({ events, byExitCode }: Grammar, native: string) {
  if (!Object.hasOwn(events, native)) return undefined;
  const { fires, blocks, feedback } = events[native]!;
  if (byExitCode?.includes(native)) return 'exit';
  if (fires.includes('tool.calling')) return 'permission';
  if (fires.includes('permission.requesting')) return 'request';
  if (fires.includes('turn.ending')) return 'turn';
  if (blocks) return 'decision';
  return feedback ? 'tell' : undefined;
}

function refuse(native: string, refusal: Refusal, reply: Reply, grammar: Grammar): Answer {
  const text = refusalWithFeedback(refusal, reply);
  const isAsking = refusal.kind === 'block' && refusal.ask === true;
  const isEnd = refusal.kind === 'abort';
  const end = isEnd && grammar.end ? { continue: false, stopReason: text } : {};
  switch (styleOf(grammar, native)) {
    case 'permission': {
      const permissionDecision = isAsking && grammar.ask ? 'ask' : 'deny';
      return json({
        ...end,
        hookSpecificOutput: { hookEventName: native, permissionDecision, permissionDecisionReason: text },
      });
    }
    case 'request': {
      // The user is being asked already.
      if (isAsking) return silence;
      const interrupt = isEnd && grammar.end ? { interrupt: true } : {};
      const decision = { behavior: 'deny', message: text, ...interrupt };
      return json({ hookSpecificOutput: { hookEventName: native, decision } });
    }
    case 'decision':
      return json({ ...end, decision: 'block', reason: text });
    case 'turn':
      // A turn that is refused goes on; one after which the session is over must not.
      return json(isEnd ? { continue: false, stopReason: text } : { decision: 'block', reason: text });
    case 'exit':
      if (isEnd) return json({ continue: false, stopReason: text });
      return { ...silence, stderr: `${notMissing(text)}\n`, exitCode: 2 };
    case 'tell':
      return json({ ...end, systemMessage: text, ...(takesContext(grammar, native) && contextOf(native, text)) });
    default:
      return told(text);
  }
}

/** Claude Code takes such words for those of a shell that misses our script, and goes on. */
const notMissing = (text: string): string =>
  text.replaceAll(/no such file|can't open/gi, words => words.replace(' ', '  '));
