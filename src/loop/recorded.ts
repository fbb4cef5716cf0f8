import { capText } from '../model/cut-text.ts';
import type { HookEvent, HookResult, Output } from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import type { CutValue, RecordedText } from '../model/record.ts';
import type { Held } from '../session/store.ts';

export type Recorded = ReturnType<typeof createRecorded>;

/** Of the agent's own words the journal keeps more than of anything else. */
export const messageBytes = 64 * 1024;
const recordedBytes = 16 * 1024;

/** What is longer is nothing that a person reads. */
const maxWholeLength = 32 * 1024 * 1024;

/** More than this is too much to write down for a hook that no one waits for. */
const maxEventLength = 256 * 1024;

/** Makes masked and bounded copies of what happens, for the journal. What is cut is kept whole in a file called after its record. */
export function createRecorded(mask: Mask, keep: Held['keep']) {
  const keepWhole = (record: string, text: string): string | undefined =>
    text.length > maxWholeLength ? undefined : keep(record, text);
  const text: RecordText = (record, given, maxBytes = recordedBytes) => {
    let file: string | undefined;
    const kept = capText(mask(given), maxBytes, (whole, bytes) => {
      file = keepWhole(record, whole);
      return { bytes, path: () => file };
    });
    return { text: kept, ...(file !== undefined && { file }) };
  };
  const value = (record: string, given: unknown): unknown => {
    const { input: masked } = maskDeep({ input: given }, mask);
    const json = typeof masked === 'string' ? masked : (JSON.stringify(masked) ?? '');
    if (Buffer.byteLength(json) <= recordedBytes) return masked;
    const file = keepWhole(record, json);
    const cut: CutValue = { cut: true, head: json.slice(0, edgeLength), tail: json.slice(-edgeLength) };
    return file === undefined ? cut : { ...cut, file };
  };
  return {
    /** Of what is never long. */
    masked: <T>(value: T): T => maskDeep(value, mask),
    text,
    value,
    result: (result: HookResult): HookResult =>
      withOutcome(result, mask, outcome => recordedOutput(outcome, text, mask)),
    event(event: HookEvent): HookEvent {
      const { name, input, message } = event;
      const kept = Object.fromEntries(Object.entries(event).filter(([field]) => !leftOut.has(field)));
      return {
        ...(maskDeep(kept, mask) as HookEvent),
        ...(message !== undefined && { message: shortened(message, mask) }),
        // Of a call that has ended `agent.tool` tells everything.
        ...(name === 'tool.calling' && input !== undefined && { input: value(name, input) }),
      };
    },
    /** The event with which a hook that no one waits for is resumed after a crash. */
    background: (event: HookEvent): { event?: HookEvent } =>
      JSON.stringify(event).length > maxEventLength ? {} : { event: maskDeep(event, mask) as HookEvent },
  };
}

type RecordText = (record: string, text: string, maxBytes?: number) => RecordedText;

const edgeLength = recordedBytes / 2;

/** What may be of any size, and what is the same in every event of the session. */
const leftOut: ReadonlySet<string> = new Set([
  ...['input', 'output', 'facts', 'spending', 'context', 'changedFiles', 'stageOutputs', 'message'],
  ...['at', 'session', 'cwd', 'progress', 'statusFile', 'contextFile'],
]);

/** How much of a text those who watch the session get. */
const shownBytes = 4 * 1024;

/** Masked first: a secret that is cut in two is not known any more. */
const shortened = (text: string, mask: Mask): string => capText(mask(text), shownBytes);

/** A hook's result as watchers get it. */
export const resultForWatchers = (result: HookResult, mask: Mask): HookResult =>
  withOutcome(result, mask, outcome => ({
    ...outcome,
    stdout: shortened(outcome.stdout, mask),
    stderr: shortened(outcome.stderr, mask),
  }));

function withOutcome(result: HookResult, mask: Mask, cut: <T extends Output>(outcome: T) => T): HookResult {
  if (result.status !== 'finished') return result;
  const { outcome } = result;
  return maskDeep({ ...result, outcome: 'stdout' in outcome ? cut(outcome) : outcome }, mask) as HookResult;
}

/** Output that was too long to be held has its files already. */
function recordedOutput<T extends Output>(outcome: T, text: RecordText, mask: Mask): T {
  if (outcome.truncated) {
    const cut = (stream: string): string => capText(mask(stream), recordedBytes);
    return { ...outcome, stdout: cut(outcome.stdout), stderr: cut(outcome.stderr) };
  }
  const [stdout, stderr] = [text('hook.stdout', outcome.stdout), text('hook.stderr', outcome.stderr)];
  const recorded = { ...outcome, stdout: stdout.text, stderr: stderr.text };
  if (stdout.file === undefined && stderr.file === undefined) return recorded;
  return {
    ...recorded,
    truncated: {
      stdoutBytes: Buffer.byteLength(outcome.stdout),
      stderrBytes: Buffer.byteLength(outcome.stderr),
      ...(stdout.file !== undefined && { stdoutFile: stdout.file }),
      ...(stderr.file !== undefined && { stderrFile: stderr.file }),
    },
  };
}
