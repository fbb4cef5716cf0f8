import { createDeadline, unlessCancelled } from '../../actions/process/cancel.ts';
import type { AgentStarted } from '../../model/agent.ts';
import type { AgentProcess, Gone } from './child.ts';
import type { AgentCapabilities, ClientConnection } from './sdk.ts';
import { recordOf } from './tool-call.ts';
import { describeAnswer, describeError } from './words.ts';

export interface Deadlines {
  /** For the start of the process, and for the opening of a conversation. */
  startMs: number;
  /** How long a cancelled agent may take to say so before it is stopped. */
  cancelMs: number;
}

export const defaultDeadlines: Deadlines = { startMs: 60_000, cancelMs: 5_000 };

export type Initialised =
  | { kind: 'ready'; capabilities: AgentCapabilities; signIn: string | undefined }
  | Exclude<AgentStarted, { kind: 'started' }>;

/** Contract: never rejects; an agent that hangs or dies has failed. */
export async function initialise(
  connection: ClientConnection,
  child: AgentProcess,
  { startMs, signal, writesItself = false }: Patience & { writesItself?: boolean | undefined },
): Promise<Initialised> {
  const answer = await answerInTime(
    connection.agent.request('initialize', {
      protocolVersion: 1,
      clientInfo: { name: 'hookloop', version: '1' },
      // A read of a missing file would have to fail, and then Gemini cannot make new files.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: !writesItself }, terminal: false },
    }),
    child,
    { startMs, signal },
  );
  if (answer.kind === 'gone') return isMissing(answer.gone) ? unavailable(answer.gone) : failed(answer.gone.reason);
  if (answer.kind === 'late') return failed(`it did not answer within ${startMs / 1000} s of its start`);
  if (answer.kind === 'cancelled') return failed('it was cancelled');
  if (answer.kind === 'error') return failed(answer.reason);
  const { protocolVersion, agentCapabilities, authMethods } = recordOf(answer.value);
  if (protocolVersion === undefined)
    return failed(`it answered initialize without a protocol version: ${describeAnswer(answer.value)}`);
  if (protocolVersion !== 1)
    return failed(`it speaks version ${describeAnswer(protocolVersion)} of the protocol, not version 1`);
  return { kind: 'ready', capabilities: recordOf(agentCapabilities), signIn: signInWith(authMethods) };
}

const maxSignIn = 1000;

/** The agent's own words for how one signs in. */
function signInWith(methods: unknown): string | undefined {
  const told = (Array.isArray(methods) ? methods : []).flatMap(method => {
    const { name, description } = recordOf(method);
    const words = [name, description].filter(word => typeof word === 'string' && word.trim() !== '');
    return words.length > 0 ? [words.join(': ')] : [];
  });
  return told.length > 0 ? told.join('; or ').slice(0, maxSignIn) : undefined;
}

export type Answer<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'error'; reason: string }
  | { kind: 'late' }
  | { kind: 'cancelled' }
  | { kind: 'gone'; gone: Gone };

export interface Patience {
  startMs: number;
  /** Aborted: nobody wants the answer any more. */
  signal: AbortSignal;
}

/** Waits for an answer as long as there can be one. */
export async function answerInTime<T>(
  request: Promise<T>,
  child: AgentProcess,
  { startMs, signal }: Patience,
): Promise<Answer<T>> {
  let deadline: { clear(): void } | undefined;
  const late = new Promise<Answer<T>>(resolve => {
    deadline = createDeadline(startMs, () => resolve({ kind: 'late' }));
  });
  const gone = child.gone.then((end): Answer<T> => ({ kind: 'gone', gone: end }));
  const answered = request.then(
    (value): Answer<T> => ({ kind: 'answered', value }),
    async (error: unknown): Promise<Answer<T>> => {
      // A connection breaks a moment before the end of the process is known, and that end says more.
      const isBroken = error instanceof Error && error.message === 'ACP connection closed';
      return isBroken ? Promise.race([gone, late]) : { kind: 'error', reason: describeError(error) };
    },
  );
  const answer = await unlessCancelled(Promise.race([answered, gone, late]), signal);
  deadline?.clear();
  return answer ?? { kind: 'cancelled' };
}

/** What a shell says of a program that is not there or may not be run. */
const isMissing = ({ exitCode }: Gone): boolean => exitCode === 127 || exitCode === 126;

const unavailable = ({ reason }: Gone): Initialised => ({
  kind: 'unavailable',
  reason: `the agent's program cannot be run: ${reason}`,
  hint: 'check the command after acp:, and that its program is installed',
});

const failed = (reason: string): Initialised => ({ kind: 'failed', reason: `the agent did not start: ${reason}` });
