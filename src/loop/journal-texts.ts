import { type Mask, maskDeep } from '../hooks/secrets/mask.ts';
import { capText } from '../model/cut-text.ts';
import type { ActionOutcome, HookEvent, HookResult } from '../model/index.ts';

/** So much of what a hook printed is kept for people to read; what the session depends on is kept whole. */
const keptBytes = 4 * 1024;

/** A hook's result as the journal and the watchers get it. */
export function resultForJournal(result: HookResult, mask: Mask): HookResult {
  if (result.status !== 'finished') return result;
  const outcome = 'stdout' in result.outcome ? shortened(result.outcome) : result.outcome;
  return maskDeep({ ...result, outcome }, mask) as HookResult;
}

/** What may be of any size, and what is the same in every event of the session. */
const leftOut: ReadonlySet<string> = new Set([
  ...['input', 'output', 'facts', 'context', 'changedFiles', 'stageOutputs'],
  ...['at', 'session', 'cwd', 'progress', 'statusFile', 'contextFile'],
]);

/** An event as people read it in the log. */
export function eventForJournal(event: HookEvent, mask: Mask): HookEvent {
  const { message } = event;
  const kept = Object.fromEntries(Object.entries(event).filter(([field]) => !leftOut.has(field)));
  return maskDeep({ ...kept, ...(message !== undefined && { message: cut(message) }) }, mask) as HookEvent;
}

/** More than this is too much to write down for a hook that nobody waits for. */
const maxEventLength = 256 * 1024;

/** The event with which such a hook is taken up after a crash. */
export const backgroundForJournal = (event: HookEvent, mask: Mask): { event?: HookEvent } =>
  JSON.stringify(event).length > maxEventLength ? {} : { event: maskDeep(event, mask) as HookEvent };

const shortened = <T extends Extract<ActionOutcome, { stdout: string }>>(outcome: T): T => ({
  ...outcome,
  stdout: cut(outcome.stdout),
  stderr: cut(outcome.stderr),
});

const cut = (text: string): string => capText(text, keptBytes);
