import { firingKeyOf } from '../../model/decision-id.ts';
import { type Decision, type HookDefinition, type HookEvent, type HookResult, strictest } from '../../model/index.ts';
import { isObject } from '../../model/json.ts';
import { toKnown } from '../../model/known-record.ts';
import { pipelineHooks } from '../../model/pipeline.ts';
import type { SessionEntry } from '../../model/record.ts';
import type { SessionStore } from '../../session/store.ts';
import type { Recalled } from './present-rules.ts';

/** An event of a session's record, with what was decided then. */
export interface FoundEvent {
  /** What `why` takes. */
  id: number;
  at: string;
  event: HookEvent;
  was: Decision;
  /** What other hooks than those of the project's files said: it stays as it was. */
  stays: Decision;
  recalled: Recalled;
  /** Something of it was too long for the record, so that no rule can be asked. */
  isCut: boolean;
}

/** So many events are held at once; for those after them the record is read on from where it was. */
const maxHeld = 5000;

/** The events of one session, in order. What was recorded in vain is as if it had not been. */
export async function* eventsOf(store: SessionStore, name: string): AsyncGenerator<FoundEvent> {
  const inputs = new Map<string, unknown>();
  let ofPipeline: ReadonlySet<string> = new Set();
  for (let from: number | undefined = 1; from !== undefined; ) {
    const firings = new Map<string, Firing>();
    const begin: number = from;
    from = undefined;
    await store.read(
      name,
      stored => {
        const entry = from === undefined ? toKnown(stored) : undefined;
        if (!entry) return;
        if (entry.kind === 'session.started') ofPipeline = new Set(pipelineHooks(entry.plan).map(({ id }) => id));
        if (entry.kind === 'event' && entry.key !== undefined && firings.size >= maxHeld) from = entry.seq;
        else take(entry, firings, inputs);
      },
      begin,
    );
    for (const firing of firings.values()) yield foundEvent(firing, ofPipeline);
  }
}

interface Firing {
  entry: Extract<SessionEntry, { kind: 'event' }>;
  results: Map<string, { name: string; result: HookResult }>;
  decided?: Decision;
}

/** The input of a call stands with `tool.calling` alone. */
const maxInputs = 1000;

function take(entry: SessionEntry, firings: Map<string, Firing>, inputs: Map<string, unknown>): void {
  if (entry.kind === 'event' && entry.key !== undefined) {
    const { toolCallId: call, name, input } = entry.event;
    if (name === 'tool.calling' && call !== undefined) inputs.set(call, input);
    if (inputs.size > maxInputs) inputs.delete(inputs.keys().next().value!);
    const known = call === undefined ? undefined : inputs.get(call);
    const whole = input === undefined && known !== undefined ? { ...entry.event, input: known } : entry.event;
    firings.set(entry.key, { entry: { ...entry, event: whole }, results: new Map() });
  }
  if (entry.kind === 'hook.finished')
    firings.get(firingKeyOf(entry.key))?.results.set(entry.hook, { name: entry.name, result: entry.result });
  if (entry.kind === 'event.decided') {
    const firing = firings.get(entry.key);
    if (firing) firing.decided = entry.decision;
  }
}

function foundEvent({ entry, results, decided }: Firing, ofPipeline: ReadonlySet<string>): FoundEvent {
  const decisions = [...results.values()].flatMap(({ result }) =>
    result.status === 'finished' ? [result.decision] : [],
  );
  const was = decided ?? strictest(decisions);
  const isForeign = (by: string): boolean => ofPipeline.has(by) || !by.includes(':');
  const kept = [was, ...decisions].filter(decision => decision.kind !== 'proceed' && isForeign(decision.by));
  const { input } = entry.event;
  return {
    ...{ id: entry.seq, at: entry.at, was, stays: strictest(kept) },
    event: { ...entry.event, at: entry.at },
    isCut: isObject(input) && input['cut'] === true && typeof input['head'] === 'string',
    recalled: hook => outcomeOf(hook, results),
  };
}

/** By its id and its name: hooks that stand elsewhere in a file by now have another id, or that of another hook. */
function outcomeOf({ id, name }: HookDefinition, results: Firing['results']) {
  const own = results.get(id);
  const alike = [...results.values()].filter(one => one.name === name);
  const found = own?.name === name ? own : alike.length === 1 ? alike[0] : undefined;
  return found?.result.status === 'finished' ? found.result.outcome : undefined;
}
