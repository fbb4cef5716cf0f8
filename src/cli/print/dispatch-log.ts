import type { ActionOutcome, HookDefinition, HookResult, Progress } from '../../model/index.ts';
import { oneLine, outcomeWords } from '../../model/words.ts';
import type { Line } from './say.ts';

/** The log of babysitter's dispatcher, for hooks of every dialect. */
export interface DispatchLog {
  onProgress(progress: Progress, tellsExit: boolean): void;
  summary(): void;
}

export function createDispatchLog(say: (line: Line) => void, mask: (text: string) => string): DispatchLog {
  const summary: (() => string)[] = [];
  let place = '';
  const nameOf = (hook: HookDefinition): string => oneLine(mask(hook.name), 80);
  const start = (hook: HookDefinition): void => {
    const { label, from } = hook.place;
    if (place !== `${label} ${from}`) say(`[${label}] Executing hooks from: ${from}`);
    place = `${label} ${from}`;
    say(() => `[${label}] Running: ${nameOf(hook)}`);
  };
  const finish = (hook: HookDefinition, result: Finished, warning: string | undefined, tellsExit: boolean): void => {
    const { label } = hook.place;
    // Of a hook that no one waits for only a failure is worth a line.
    if (!hook.wait && result.verdict.kind === 'passed') return;
    if (warning) say(() => `[${label}] ! ${nameOf(hook)}: ${mask(warning)}`);
    if (result.message) say(() => `[${label}] ${nameOf(hook)} says: ${oneLine(mask(result.message!), 200)}`);
    say(() => `[${label}] ${endLine(nameOf(hook), result)}`);
    summary.push(() => `${label}:${nameOf(hook)}:${summaryWord(result, tellsExit)}`);
  };
  return {
    onProgress({ hook, ...progress }, tellsExit) {
      if (progress.type === 'started') start(hook);
      else if (progress.result.status === 'finished') finish(hook, progress.result, progress.warning, tellsExit);
    },
    summary() {
      if (summary.length > 0) say(() => ['', 'Hook execution summary:', ...summary.map(line => line())].join('\n'));
    },
  };
}

type Finished = Extract<HookResult, { status: 'finished' }>;

function endLine(name: string, { verdict, decision, outcome, shadow, flaky, attempts }: Finished): string {
  if (verdict.kind === 'passed')
    return `+ ${name} succeeded${flaky === undefined ? '' : ` in try ${attempts} (flaky)`}`;
  const would = shadow && shadow.kind !== 'proceed' ? ` -> would ${shadow.kind} (shadow)` : '';
  const said = decision.kind === 'proceed' ? would : ` -> ${decision.kind}`;
  if (verdict.kind === 'failed') return `- ${name} failed (${sayEnd(outcome, verdict.reason)})${said}`;
  return `+ ${name} answered${said}: ${oneLine(verdict.reason, 200)}`;
}

function sayEnd(outcome: ActionOutcome, reason: string): string {
  if ('stdout' in outcome) return outcomeWords(outcome);
  return oneLine(outcome.kind === 'not-started' ? outcome.reason : reason, 200);
}

function summaryWord({ verdict, decision, outcome }: Finished, tellsExit: boolean): string {
  if (!tellsExit && decision.kind !== 'proceed') return decision.kind === 'abort' ? 'abort' : 'block';
  return verdict.kind === 'failed' ? `failed:${codeOf(outcome)}` : 'success';
}

/** Exit codes as shells give them where the outcome has none of its own. */
function codeOf(outcome: ActionOutcome): number | string {
  if (outcome.kind === 'exited') return outcome.exitCode;
  if (outcome.kind === 'timed-out') return 124;
  if (outcome.kind === 'not-started') return 127;
  return outcome.kind === 'killed' ? outcome.signal : outcome.kind;
}
