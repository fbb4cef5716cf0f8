import { callKey, isToldTwice } from '../model/call-key.ts';
import { type Decision, type EventName, isPending } from '../model/index.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import type { TurnRecord } from './agent-record.ts';
import type { Fields, InSession } from './fire.ts';
import type { Position } from './session.ts';
import { SessionEnd } from './session-end.ts';
import type { Stall, StallWatch } from './stall-watch.ts';

/**
 * One turn of the agent while it lasts, or the pause between two: while gates run or hooks wait the agent may do things as
 * well, and gates hold all the same.
 */
export class RunningTurn {
  readonly record: TurnRecord;
  /** Aborted: it ends now. */
  readonly turnEnd = new AbortController();
  /** The agent has used a tool or changed a file. */
  progressed = false;
  /** The tool of a call that was refused and made all the same; it ends the turn. */
  calledAnyway?: string;
  /** Looks whether the agent goes round in circles; what it has seen ends the turn. */
  stallWatch: StallWatch | undefined;
  stalled?: Stall;
  readonly #in: InSession;
  readonly #key: StepKey;
  readonly #position: Position | undefined;
  readonly #calls: ToldCalls;
  #count = 0;
  #ending: SessionEnd | undefined;

  /** `key`: names the turn; events in it are numbered. Without a position it is a pause. */
  constructor(inSession: InSession, key: StepKey, record: TurnRecord, position?: Position) {
    this.#in = inSession;
    this.#key = key;
    this.record = record;
    this.#position = position;
    this.#calls = new ToldCalls(inSession.session.settings.root);
  }

  /** No turn at all: no one waits for the agent, and there is none to end. */
  get isPause(): boolean {
    return this.#position === undefined;
  }

  /** A pause is where the session is just then. */
  get position(): Position {
    return this.#position ?? this.#in.session.now.position;
  }

  /** A hook in this turn, or outside any, has ended the session. */
  get ending(): SessionEnd | undefined {
    return this.isPause ? this.#in.session.now.ending : this.#ending;
  }

  end(end: SessionEnd): void {
    if (this.isPause) this.#in.session.now.ending ??= end;
    else this.#ending ??= end;
    this.turnEnd.abort();
  }

  /**
   * What the agent has done is progress. A call that was only asked for is none: an agent that tries the same refused one
   * again gets nowhere. Nor is what befalls it, such as a compaction.
   */
  noticed(name: EventName): void {
    if (work.has(name)) this.progressed = true;
  }

  /** Names the next thing that happens in the turn. */
  nextKey(): StepKey {
    this.#count += 1;
    return partOf(this.#key, `e${this.#count}`);
  }

  /** A hook that ends the session ends the turn too; the agent hears a no meanwhile. */
  async during(work: () => Promise<Decision>): Promise<Decision> {
    if (this.ending) return block(this.ending.message);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SessionEnd)) throw error;
      this.end(error);
      return block(error.message);
    }
  }

  /**
   * Fires the hooks of something in the turn, once, whoever tells of it. Where the agent's own hooks do, the agent itself
   * is told of a refusal: it need not hear of it again with the next prompt. `isFixed`: hooks do not change the input.
   */
  fire(name: EventName, fields: Fields, teller: Teller = 'protocol', isFixed = false): Promise<Decision> {
    if (fields.toolCallId === undefined) return this.#fireNumbered(name, fields, teller, isFixed);
    const call = isPending(name) ? this.#calls.about(fields, teller) : this.#calls.behind(fields, teller);
    if (call.isRefused && !isPending(name) && name !== 'permission.denied') return Promise.resolve({ kind: 'proceed' });
    // One call may edit several files.
    const part = name === 'file.edited' ? `${name} ${fields.file}` : name;
    const known = call.decided.get(part);
    if (known) return known;
    const decided = this.#fireNumbered(name, fields, teller, isFixed).then(decision => {
      if (isPending(name) && decision.kind !== 'proceed') call.isRefused = true;
      return decision;
    });
    call.decided.set(part, decided);
    return decided;
  }

  /** What a hook refused is allowed after all: what becomes of the call is told like that of any other. */
  allow(fields: Fields): void {
    if (fields.toolCallId !== undefined) this.#calls.about(fields, 'protocol').isRefused = false;
  }

  /** Whether the agent's own hooks were answered about the call that its protocol tells of. */
  wasAnswered(fields: Fields): boolean {
    return fields.toolCallId !== undefined && this.#calls.wasAnswered(fields);
  }

  async #lookForStall(name: EventName, fields: Fields): Promise<void> {
    if (name === 'file.edited') this.stallWatch?.changed();
    if (!this.stallWatch || this.stalled || (name !== 'tool.called' && name !== 'tool.failed')) return;
    const sign = await this.stallWatch.called({ name, ...fields });
    if (!sign) return;
    this.stalled = sign;
    this.turnEnd.abort();
  }

  async #fireNumbered(name: EventName, fields: Fields, teller: Teller, fixedInput: boolean): Promise<Decision> {
    const { session, fire } = this.#in;
    const answersAgent = teller === 'hooks';
    const key = this.nextKey();
    this.record.happened(key, { name, ...fields });
    if (answersAgent) session.durable.pending.expectNone(key);
    const result = await fire(this.position, name, { key, fields, fixedInput });
    await this.#lookForStall(name, fields);
    const { decision, feedback } = result;
    if (decision.kind === 'proceed') return decision;
    const refusal = feedback === '' ? decision : { ...decision, reason: feedback };
    if (answersAgent) session.durable.notes.feedback(key, refusal.reason, result);
    // What is left to a person is not refused yet.
    const isLeft = refusal.kind === 'block' && refusal.ask && !answersAgent;
    if (name === 'tool.calling' && !isLeft) this.record.refused(key, fields);
    return refusal;
  }
}

const work: ReadonlySet<EventName> = new Set(['tool.called', 'tool.failed', 'file.edited']);

export const block = (reason: string): Decision => ({ kind: 'block', reason, by: 'hookloop' });

/** Who tells of a call: the agent's own hooks, which wait for the answer before it is made, or its protocol. */
type Teller = 'hooks' | 'protocol';

interface ToldCall {
  fields: Fields;
  teller: Teller;
  /** What was decided about its events. */
  decided: Map<string, Promise<Decision>>;
  /** What the agent says of a refused call later is no failure of the tool. */
  isRefused: boolean;
}

/**
 * The tool calls of one turn, each once, whoever tells of it. An id alone is no call: what was decided about one holds
 * for another of the same id only if they are the same in everything.
 */
class ToldCalls {
  readonly #root: string;
  readonly #byId = new Map<string, ToldCall[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The call that is about to be made. */
  about(fields: Fields, teller: Teller): ToldCall {
    return this.#known(fields, teller) ?? this.#add(fields, teller);
  }

  /** The call that something has come of. What says little of it belongs to the last that was not refused. */
  behind(fields: Fields, teller: Teller): ToldCall {
    const calls = this.#of(fields);
    const likely = (): ToldCall | undefined => calls.findLast(call => !call.isRefused) ?? calls.at(-1);
    return this.#known(fields, teller) ?? likely() ?? this.#add(fields, teller);
  }

  wasAnswered(fields: Fields): boolean {
    return this.#of(fields).some(call => call.teller === 'hooks' && this.#isSame(call, fields, 'protocol'));
  }

  #of({ toolCallId = '' }: Fields): readonly ToldCall[] {
    return this.#byId.get(toolCallId) ?? [];
  }

  #known(fields: Fields, teller: Teller): ToldCall | undefined {
    return this.#of(fields).findLast(call => this.#isSame(call, fields, teller));
  }

  #add(fields: Fields, teller: Teller): ToldCall {
    const call: ToldCall = { fields, teller, decided: new Map(), isRefused: false };
    this.#byId.set(fields.toolCallId ?? '', [...this.#of(fields), call]);
    return call;
  }

  #isSame(call: ToldCall, fields: Fields, teller: Teller): boolean {
    const root = this.#root;
    if (call.teller === teller) return callKey(call.fields, root) === callKey(fields, root);
    return teller === 'protocol' ? isToldTwice(fields, call.fields, root) : isToldTwice(call.fields, fields, root);
  }
}
