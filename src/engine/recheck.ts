import {
  type Action,
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type AskAction,
  type Carried,
  type DialectWire,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
  meaningOf,
  type Places,
  type ProtectedResult,
  type RunAction,
  type Verdict,
} from '../model/index.ts';
import { attempt } from './attempt.ts';
import type { Attempted } from './attempt-flaky.ts';

/**
 * Looks at a gate before it runs, and once more when it has passed: a check may put back what it was bent with.
 * undefined: there is no reason to. Contract: neither rejects; what cannot be looked at is refused.
 */
export type Recheck = (
  asked: Pick<Passed, 'hook' | 'signal'>,
) => Promise<((passed: Passed) => Promise<Rechecked | undefined>) | undefined>;

export type LookAgain = Awaited<ReturnType<Recheck>>;

export interface Passed {
  hook: HookDefinition;
  event: HookEvent;
  /** Names its run in a session. */
  key: string | undefined;
  signal: AbortSignal;
  /** Runs it again as if its project were elsewhere. */
  again(moved: (path: string) => string): Promise<Ended>;
}

/** How a gate has ended, and what its dialect makes of it. */
export interface Ended {
  attempted: Attempted;
  reading: Interpretation;
}

export type Rechecked =
  | { kind: 'passed'; changed: readonly string[] }
  /** `ended`: how it did the second time; absent: it could not run. `question`: a person may still say yes. */
  | { kind: 'refused'; changed: readonly string[]; reason: string; text: string; ended?: Ended; question?: string };

interface RecheckPorts {
  actions: ActionRunners;
  env: Readonly<Record<string, string | undefined>>;
}

interface Run {
  hook: HookDefinition;
  wire: DialectWire;
  run: ActionRun;
  ports: RecheckPorts;
  lookAgain: NonNullable<LookAgain>;
}

/** What a gate comes to after the second look, where one is due. */
export async function recheckOf(
  first: Ended,
  { hook, wire, run, ports, lookAgain }: Run,
): Promise<Ended & { protect?: ProtectedResult }> {
  const { event, key, signal } = run;
  const again = (moved: (path: string) => string): Promise<Ended> => runMoved({ hook, wire, run, ports }, moved);
  const found = await lookAgain({ hook, event, key, signal, again });
  if (!found) return first;
  const { changed } = found;
  if (found.kind === 'passed') return { ...first, protect: { changed, held: 'passed' } };
  const asked = found.question === undefined ? undefined : await askPerson(found.question, run, ports);
  if (asked?.kind === 'answered' && meaningOf(asked.action, undefined) === 'approve')
    return { ...first, protect: { changed, held: 'accepted', ...(asked.by !== undefined && { by: asked.by }) } };
  const { attempted = first.attempted, reading } = found.ended ?? {};
  const said = asked?.kind === 'answered' && asked.message.trim() !== '' ? `${asked.message.trim()}\n\n` : '';
  const verdict: Verdict = { kind: reading?.verdict.kind === 'rejected' ? 'rejected' : 'failed', reason: found.reason };
  return {
    attempted: {
      ...attempted,
      outcome: found.ended ? attempted.outcome : { kind: 'not-started', reason: found.reason },
    },
    reading: { verdict, refusal: `${said}${found.text}` },
    protect: { changed, held: 'refused' },
  };
}

async function runMoved(
  { hook, wire, run, ports }: Omit<Run, 'lookAgain'>,
  moved: (path: string) => string,
): Promise<Ended> {
  const { places: own } = run;
  const places: Places = { ...own, root: moved(own.root), repo: moved(own.repo), cwd: moved(own.cwd) };
  const event = run.event.cwd === undefined ? run.event : { ...run.event, cwd: moved(run.event.cwd) };
  const there: HookDefinition = { ...hook, action: movedAction(hook.action, moved) };
  const presentation = wire.present(event, there, { places, carried: noCarried, env: ports.env });
  const { memory: _memory, ...rest } = run;
  const attempted = await attempt(wire, ports.actions, { ...rest, hook: there, event, presentation, places });
  return { attempted, reading: wire.interpret(attempted.outcome, there, event) };
}

const noCarried: Carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' };

function movedAction(action: Action, moved: (path: string) => string): Action {
  if (action.kind !== 'shell' || action.run.via !== 'exec') return action;
  return { ...action, run: { ...action.run, file: moved(action.run.file), args: action.run.args.map(moved) } };
}

const hourMs = 60 * 60 * 1000;

async function askPerson(
  question: string,
  run: ActionRun,
  { actions }: RecheckPorts,
): Promise<ActionOutcome | undefined> {
  const ask = actions.ask as RunAction<'ask'> | undefined;
  const action: AskAction = { kind: 'ask', title: 'A check was changed', question, callbackPort: 8765 };
  return ask?.(action, { ...run, timeoutMs: hourMs });
}
