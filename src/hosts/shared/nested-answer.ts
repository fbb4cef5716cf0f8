import type { Refusal } from '../../model/index.ts';
import type { Answer, Reply } from '../host.ts';
import { json, refusalText, silence, told, withMessage } from './answer.ts';

/**
 * How an event of Claude's family says no. `permission`, `request`: about a tool call and about the question to the
 * user. `decision`: `decision: "block"`. `turn`: the same, and the agent goes on. `exit`: exit code 2. `tell`: it
 * cannot, but it shows a message. `none`: nobody reads the answer.
 */
export type Style = 'permission' | 'request' | 'decision' | 'turn' | 'exit' | 'tell' | 'none';

/** What an agent of the family understands beyond yes and no. An answer with anything else in it may be thrown away whole. */
export interface Grammar {
  styles: Readonly<Record<string, Style>>;
  /** Events whose answer may carry `additionalContext`. */
  feedback(native: string): boolean;
  /** `permissionDecision: "ask"`. */
  ask: boolean;
  /** `continue: false` on events other than the end of a turn. */
  end: boolean;
}

/** JSON with `hookSpecificOutput`, as Claude Code, Qwen Code and Codex read it. */
export function nestedAnswer(native: string, reply: Reply, grammar: Grammar): Answer {
  const answer = answerOf(native, reply, grammar);
  return (grammar.styles[native] ?? 'none') === 'none' ? answer : withMessage(answer, reply.message);
}

function answerOf(native: string, reply: Reply, grammar: Grammar): Answer {
  const { decision, feedback } = reply;
  if (decision.kind !== 'proceed') return refuse(native, decision, reply, grammar);
  return feedback !== '' && grammar.feedback(native) ? json(contextOf(native, feedback)) : silence;
}

function refuse(native: string, refusal: Refusal, reply: Reply, grammar: Grammar): Answer {
  const text = refusalText(refusal, reply);
  const isAsking = refusal.kind === 'block' && refusal.ask === true;
  const isEnd = refusal.kind === 'abort';
  const end = isEnd && grammar.end ? { continue: false, stopReason: text } : {};
  switch (grammar.styles[native] ?? 'none') {
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
      return json({ ...end, systemMessage: text, ...(grammar.feedback(native) && contextOf(native, text)) });
    case 'none':
      return told(text);
  }
}

/** Claude Code takes such words for those of a shell that misses our script, and goes on. */
const notMissing = (text: string): string =>
  text.replaceAll(/no such file|can't open/gi, words => words.replace(' ', '  '));

const contextOf = (native: string, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName: native, additionalContext },
});
