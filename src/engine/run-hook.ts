import { capText, type Whole } from '../model/cut-text.ts';
import {
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type AroundHook,
  type Carried,
  type Decision,
  type DialectWire,
  decide,
  type EvaluateCondition,
  fillNames,
  type HookDefinition,
  type HookEvent,
  type HookResult,
  type Interpretation,
  type Places,
  type Presentation,
  type Progress,
  type ProtectedResult,
  proceed,
  type Refusal,
  type RuleAction,
  type RunMemory,
} from '../model/index.ts';
import { given } from '../model/json.ts';
import { hookRunKey } from '../model/step-key.ts';
import { attempt, rules } from './attempt.ts';
import type { Attempted } from './attempt-flaky.ts';
import type { WhyNot } from './match.ts';
import type { Ended, Recheck } from './recheck.ts';

/** What running a hook needs from outside. */
export interface EnginePorts {
  places: Places;
  actions: ActionRunners;
  /** The environment that dialects hand variables on from. */
  env: Readonly<Record<string, string | undefined>>;
  evaluate: EvaluateCondition;
  /** Hides secrets in whatever leaves the engine. */
  mask?: (text: string) => string;
  /** Keeps a text that is too long for an agent and returns its path. */
  save?: (text: string, hook: HookDefinition) => string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Wraps the runs of hooks whose event is fired with a key. */
  around?: AroundHook | undefined;
  /** Looks at a gate before it runs, and once more when it has passed. */
  recheck?: Recheck | undefined;
  /** What stands for the files that a hook with `only_changed` looks at, and why it need not run. */
  filesMark?: ((hook: HookDefinition) => Promise<FilesMark>) | undefined;
  /** Say what would run, and run nothing. */
  dryRun?: boolean | undefined;
  /** Decides beside the hooks. */
  rule?: ((event: HookEvent) => Promise<Decision>) | undefined;
}

/** `mark`: the same for as long as the files are; absent: they cannot be told. `unchanged`: it has passed with the same. */
export interface FilesMark {
  mark?: string;
  unchanged?: string;
}

export interface PlannedHook {
  hook: HookDefinition;
  wire: DialectWire;
  whyNot: WhyNot;
  /** As its own root sees them. */
  places: Places;
  /** Its place among all hooks of the event. */
  index: number;
}

/** One event on its way through the hooks. */
export interface Firing {
  ports: EnginePorts;
  event: HookEvent;
  /** Names this firing in its session. */
  key: string | undefined;
  /** What hooks make of a tool's input does not count. */
  fixedInput: boolean;
  signal: AbortSignal;
  chains: Map<string, Carried>;
  background: Set<Promise<void>>;
}

/**
 * Runs one hook, or says why it does not run. `stopped`: why hooks no longer run at this point.
 * The answer comes without a promise where no hook has to be waited for: most events match few of many hooks.
 */
export function runHook(
  planned: PlannedHook,
  firing: Firing,
  stopped: string | undefined,
): HookResult | Promise<HookResult> {
  const { hook, whyNot } = planned;
  const off = hook.disabled ?? (hook.onFailure === 'continue' ? hook.unavailable : undefined);
  const why = off ?? whyNot(firing.event);
  if (why instanceof Promise) return why.then(reason => skipOrStart(planned, firing, reason ?? stopped));
  return skipOrStart(planned, firing, why ?? stopped);
}

function skipOrStart(planned: PlannedHook, firing: Firing, why: string | undefined): HookResult | Promise<HookResult> {
  if (why !== undefined) return skip(firing, planned.hook, why);
  return isPlainRule(planned.hook, firing) ? applyRule(planned, firing) : start(planned, firing);
}

/** A rule that nothing has to be waited for: thousands of them must not slow an event down. */
const isPlainRule = ({ action, match, unavailable }: HookDefinition, { key, ports }: Firing): boolean =>
  (action.kind === 'deny' || action.kind === 'tell') &&
  match.when === undefined &&
  unavailable === undefined &&
  !ports.dryRun &&
  (key === undefined || ports.around === undefined);

function applyRule({ hook, wire, places }: PlannedHook, firing: Firing): HookResult {
  const { ports, event, chains } = firing;
  const { text } = hook.action as RuleAction;
  const carried = carriedOf(chains, wire);
  ports.onProgress?.({ type: 'started', ...runOf(firing, hook), attempt: 1 });
  const isFilled = !text.includes('${');
  const said = isFilled ? text : fillNames(text, wire.present(event, hook, { places, carried, env: ports.env }).env);
  const outcome = { kind: 'ruled', text: said } as const;
  const reading = wire.interpret(outcome, hook, event);
  return carry(report(firing, hook, toResult({ outcome, attempts: 1 }, reading, { hook, wire }, ports, 0)), carried);
}

async function start(planned: PlannedHook, firing: Firing): Promise<HookResult> {
  const { hook, wire, places } = planned;
  const { ports, event } = firing;
  const carried = carriedOf(firing.chains, wire);
  const presentation = wire.present(event, hook, { places, carried, env: ports.env });
  const holds =
    hook.unavailable ??
    (hook.match.when === undefined || (await conditionHolds(hook.match.when, presentation, ports.evaluate)));
  if (holds === false) return skip(firing, hook, `when is false: ${hook.match.when}`);
  const broken = holds === true ? whyNoRunner(hook, ports) : holds;
  if (ports.dryRun) return skip(firing, hook, `dry run: ${broken ?? 'it would run'}`);
  const files = hook.onlyChanged && broken === undefined ? await ports.filesMark?.(hook) : undefined;
  if (files?.unchanged !== undefined)
    return report(firing, hook, { status: 'skipped', hook: hook.id, why: files.unchanged, passed: true });
  const run = runOf(firing, hook);
  const work = (memory?: RunMemory, attempt = 1): Promise<HookResult> => {
    ports.onProgress?.({ type: 'started', ...run, attempt });
    const { timeoutMs } = hook;
    const onCallbackUrl = (url: string): void => {
      carried.callbackUrl = url;
    };
    const bounds = { timeoutMs, signal: firing.signal, background: !hook.wait };
    const action = { ...run, presentation, places, ...bounds, onCallbackUrl, ...(memory && { memory }) };
    return finish(planned, firing, action, { broken, mark: files?.mark });
  };
  const { key } = run;
  const ended = key !== undefined && ports.around ? ports.around({ ...run, key }, work) : work();
  if (hook.wait || broken !== undefined) return carry(await ended, carried);
  const forget = (): void => void firing.background.delete(watched);
  // If its end cannot be recorded, whoever records something next finds out.
  const watched: Promise<void> = ended.then(forget, forget);
  firing.background.add(watched);
  return { status: 'detached', hook: hook.id };
}

const runOf = ({ key, event }: Firing, hook: HookDefinition): Pick<Progress, 'hook' | 'event' | 'key'> => ({
  hook,
  event,
  ...(key !== undefined && { key: hookRunKey(key, hook.id) }),
});

const whyNoRunner = ({ action: { kind } }: HookDefinition, { actions }: EnginePorts): string | undefined =>
  (rules[kind] ?? actions[kind])
    ? undefined
    : `no one runs ${kind} actions: pass createEngine a runner as actions.${kind}`;

const skip = (firing: Firing, hook: HookDefinition, why: string): HookResult =>
  report(firing, hook, { status: 'skipped', hook: hook.id, why });

async function finish(
  { hook, wire }: PlannedHook,
  firing: Firing,
  run: ActionRun,
  { broken, mark }: { broken: string | undefined; mark: string | undefined },
): Promise<HookResult> {
  const from = process.hrtime();
  const { ports, event } = firing;
  const instead: ActionOutcome | undefined =
    broken === undefined ? unaskedIn(hook, run) : { kind: 'not-started', reason: broken };
  const lookAgain = instead ? undefined : await ports.recheck?.({ hook, signal: run.signal });
  const first: Attempted = instead ? { outcome: instead, attempts: 0 } : await attempt(wire, ports.actions, run);
  const read = wire.interpret(first.outcome, hook, event);
  const ended: Ended & { protect?: ProtectedResult } = { attempted: first, reading: read };
  const { attempted, reading, protect } =
    lookAgain && read.verdict.kind === 'passed'
      ? await (await import('./recheck.ts')).recheckOf(ended, { hook, wire, run, ports, lookAgain })
      : ended;
  const result = toResult(attempted, reading, { hook, wire }, ports, elapsedMs(from));
  return report(firing, hook, { ...result, ...given({ protect, files: mark }) }, reading.warning);
}

/** A question to a person that no answer counts for is not put. */
function unaskedIn(
  { action, name, shadow }: HookDefinition,
  { presentation: { env } }: ActionRun,
): ActionOutcome | undefined {
  if (!shadow || !(action.kind === 'ask' || (action.kind === 'webhook' && action.approval))) return undefined;
  return { kind: 'left-open', question: fillNames(action.question ?? action.title ?? name, env) };
}

/** `performance` would load a module of its own, which slows down a program that fires one event. */
function elapsedMs(from: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(from);
  return seconds * 1000 + nanoseconds / 1e6;
}

function report(firing: Firing, hook: HookDefinition, result: HookResult, warning?: string): HookResult {
  const told = warning === undefined ? { result } : { result, warning };
  firing.ports.onProgress?.({ type: 'finished', ...runOf(firing, hook), ...told });
  return result;
}

/** True, false, or the reason why there is no answer; a condition without an answer never counts as false. */
async function conditionHolds(
  when: string,
  { env }: Presentation,
  evaluate: EvaluateCondition,
): Promise<boolean | string> {
  try {
    return await evaluate(when, env);
  } catch (error) {
    return `its condition ${when} cannot be evaluated: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Finished = Extract<HookResult, { status: 'finished' }>;

function toResult(
  { outcome, attempts, flaky }: Attempted,
  reading: Interpretation,
  { hook, wire }: Pick<PlannedHook, 'hook' | 'wire'>,
  ports: EnginePorts,
  durationMs: number,
): Finished {
  const mask = rememberLast(ports.mask ?? (text => text));
  // NUL ends a text in many agents; and it must not hide a secret from the mask.
  const forOthers = (text: string): string =>
    capText(mask(text.replaceAll('\0', '')), wire.maxTextBytes ?? maxFeedbackBytes, (whole, bytes) =>
      wholeOf(outcome, whole, bytes, kept => ports.save?.(mask(kept), hook)),
    );
  const verdict =
    reading.verdict.kind === 'passed'
      ? reading.verdict
      : { ...reading.verdict, reason: forOthers(reading.verdict.reason) };
  const decision = decide(verdict, outcome, hook);
  const refusal = decision.kind !== 'proceed' && reading.refusal ? forOthers(reading.refusal) : undefined;
  const said = reading.feedback && hook.feedback !== 'none' ? forOthers(reading.feedback) : undefined;
  // An agent whose session ends here has nothing left to fix.
  const feedback = refusal !== undefined && decision.kind !== 'abort' ? refusal : said;
  const decided = refusal === undefined ? decision : { ...(decision as Refusal), reason: refusal };
  const counts = hook.shadow
    ? { decision: proceed, shadow: decided }
    : {
        decision: decided,
        ...(feedback && { feedback }),
        ...(reading.message && { message: forOthers(reading.message) }),
        ...(reading.answer && { answer: reading.answer }),
        ...(reading.input !== undefined && { input: reading.input }),
        ...(reading.output !== undefined && { output: reading.output }),
      };
  return {
    status: 'finished',
    hook: hook.id,
    outcome: maskTexts(outcome, mask),
    verdict,
    ...counts,
    ...(flaky !== undefined && { flaky: forOthers(flaky) }),
    attempts,
    durationMs: Math.round(durationMs * 100) / 100,
  };
}

/** The same text is often looked at twice in a row: what a hook printed, and what the agent is told of it. */
function rememberLast(ask: (text: string) => string): (text: string) => string {
  let [asked, answer] = ['', ''];
  return text => {
    if (text !== asked) [asked, answer] = [text, ask(text)];
    return answer;
  };
}

/** What one hook may say to an agent. */
const maxFeedbackBytes = 32 * 1024;

/** Where all that a hook has said can be read. Output that was too long to hold has its file already; any other text is saved now. */
function wholeOf(
  outcome: ActionOutcome,
  text: string,
  bytes: number,
  keep: (text: string) => string | undefined,
): Whole {
  if (!('truncated' in outcome) || !outcome.truncated) return { bytes, path: () => keep(text) };
  const { stdout, stderr } = outcome;
  const { stdoutBytes, stderrBytes, stdoutFile, stderrFile } = outcome.truncated;
  // What was cut and could not be saved is not whole.
  const kept = (stream: string, all: number): string | undefined =>
    all > 0 && Buffer.byteLength(stream) >= all ? keep(stream) : undefined;
  return {
    bytes: stdoutBytes + stderrBytes,
    path() {
      const files = [stdoutFile ?? kept(stdout, stdoutBytes), stderrFile ?? kept(stderr, stderrBytes)];
      return files.filter(file => file !== undefined).join(' and ') || undefined;
    },
  };
}

function maskTexts(outcome: ActionOutcome, mask: (text: string) => string): ActionOutcome {
  const masked: Record<string, unknown> = { ...outcome };
  for (const [key, value] of Object.entries(outcome)) if (typeof value === 'string') masked[key] = mask(value);
  return masked as unknown as ActionOutcome;
}

function carriedOf(chains: Map<string, Carried>, { chain }: DialectWire): Carried {
  const fresh: Carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' };
  if (chain === undefined) return fresh;
  return chains.get(chain) ?? chains.set(chain, fresh).get(chain)!;
}

function carry(result: HookResult, carried: Carried): HookResult {
  if (result.status !== 'finished' || result.shadow) return result;
  carried.lastHookStatus = result.verdict.kind === 'passed' ? 'success' : 'failed';
  if (result.outcome.kind === 'answered') carried.hookResponse = JSON.stringify(result.outcome.response);
  if (result.outcome.kind === 'child-finished') carried.spawnOutput = result.outcome.output;
  return result;
}
