import { answerHost, type EntryCall, type HostAnswer } from '../app/answer-host.ts';
import { createContext, type Where } from '../app/context.ts';
import { type Dispatched, dispatchEvent, type EventCall } from '../app/dispatch-event.ts';
import { createClaims, createPlans } from '../app/serve-memory.ts';
import { programFailure } from '../model/gone.ts';
import { printable, printableJson } from '../model/index.ts';
import { cacheFolder } from '../platform/folders.ts';

/** Where a call was made, and who waits for its answer. */
export interface Caller extends Where {
  /** The process that has started the caller; 0 where no one knows. */
  parent: number;
  /** Aborted when no one waits any more, or when serve has to end. One for both: making another takes time. */
  gone: AbortController;
}

/** Contract: neither rejects; the answer is the one that `hookloop hook` and `hookloop dispatch --require-trust` would give. */
export interface Answers {
  hook(call: EntryCall, caller: Caller): Promise<HostAnswer>;
  dispatch(call: EventCall, caller: Caller): Promise<HostAnswer>;
}

/** Answers from plans and memory that stay. `env`: that of serve; `state`: the user's state folder; `program`: the file that starts hookloop. */
export function createAnswers(env: Where['env'], state: string, program: string): Answers {
  const plans = createPlans(cacheFolder(env));
  const claims = createClaims();
  return {
    hook: (call, { cwd, env, parent, gone: { signal } }) =>
      collected(call.from, async tell => {
        const context = createContext(cwd, env);
        const answer = await answerHost(call, {
          ...{ ...context, plans, claims, parent, state, signal, program, lacksAgentEnv: true },
          warn: line => tell(context.mask(line)),
        });
        return 'kind' in answer ? { stdout: '', stderr: `hookloop: ${answer.why}\n`, exitCode: 64 } : answer;
      }),
    dispatch: (call, { cwd, env, gone: { signal } }) =>
      collected(undefined, async tell => {
        // Whoever asks over HTTP has not typed it in the project: that is no consent to the project's hooks.
        const request = { requireTrust: true, dryRun: false };
        return dispatchAnswer(
          await dispatchEvent(call, request, {
            ...{ cwd, env, plans, signal, program, tell },
            report: mask => ({
              line(line) {
                const text = typeof line === 'string' ? line : line();
                if (text !== undefined) tell(mask(text));
              },
              progress: () => {},
            }),
          }),
        );
      }),
  };
}

/** Lines for people stand in front of what the answer itself says on stderr. */
async function collected(
  entryFile: string | undefined,
  answer: (tell: (line: string) => void) => Promise<HostAnswer>,
): Promise<HostAnswer> {
  let told = '';
  const tell = (line: string): void => {
    told += `${printable(line)}\n`;
  };
  try {
    const { stdout, stderr, exitCode } = await answer(tell);
    return { stdout, stderr: told + stderr, exitCode };
  } catch (error) {
    const { text, exitCode } = programFailure(error, entryFile);
    return { stdout: '', stderr: told + text, exitCode };
  }
}

/** The exit codes of `dispatch` for events of which no hook was run. */
const exitCodes = { 'unknown-event': 64, 'bad-payload': 65, broken: 78, untrusted: 2 } as const;

function dispatchAnswer(dispatched: Dispatched): HostAnswer {
  if (dispatched.kind !== 'fired')
    return { stdout: '', stderr: `hookloop: ${dispatched.why}\n`, exitCode: exitCodes[dispatched.kind] };
  const { result } = dispatched;
  return { stdout: `${printableJson(result)}\n`, stderr: '', exitCode: result.decision.kind === 'proceed' ? 0 : 2 };
}
