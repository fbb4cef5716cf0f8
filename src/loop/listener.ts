import { createLineMask, type LineMask } from '../hooks/secrets/mask.ts';
import { gitEventsOf } from '../hosts/git-events.ts';
import type { AgentActivity, AgentListener } from '../model/agent.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import { type Attendance, allow, block, duringTurn, fireInTurn, nextKey } from './attendance.ts';
import type { Fields } from './fire.ts';
import type { Loop } from './loop.ts';
import { refusalOf } from './pending.ts';
import type { Seat } from './seat.ts';

/** Fires the hooks of what the agent does, and shows it to people. */
export interface LoopListener extends AgentListener {
  /** The turn is over: what was held back of the agent's words is shown. `isCut`: no event tells that it is. */
  endMessage(isCut: boolean): void;
}

/** `present`: the turn, if one is on; `attending`: what takes in what the agent does, in a turn or between two. */
export function createListener(
  loop: () => Loop,
  { present, attending }: Pick<Seat, 'present' | 'attending'>,
): LoopListener {
  // An agent says a secret in as many pieces as it likes.
  let words: LineMask | undefined;
  const notice = (told: Unstamped): void =>
    loop().watcher.notice({ at: new Date().toISOString(), session: loop().paths.name, ...told });
  const say = (text: string): void => {
    if (text !== '') notice({ type: 'agent.message', text });
  };
  let message = '';
  const endMessage = (isCut: boolean): void => {
    say(words?.end() ?? '');
    if (isCut && message !== '') say('\n');
    present()?.transcript.said(message);
    message = '';
  };
  return {
    endMessage,
    async ask(event, known) {
      const turn = present();
      if (!turn) return block('the turn is over');
      return duringTurn(turn, async () => {
        const fields = fieldsOf(event);
        const called = known ?? (await fireCalling(loop(), turn, event));
        if (called.kind !== 'proceed') return unlessPersonSays(loop(), turn, event, called);
        const permitted = turn.scene.engine.listensTo('permission.requesting')
          ? await fireInTurn(loop(), turn, 'permission.requesting', fields)
          : called;
        if (permitted.kind !== 'proceed') return unlessPersonSays(loop(), turn, event, permitted);
        return loop().settings.permissions === 'ask' ? askPerson(loop(), event) : permitted;
      });
    },
    async calling(event) {
      const turn = attending();
      return duringTurn(turn, () => fireCalling(loop(), turn, event));
    },
    async calledAnyway(event, refusal) {
      const turn = attending();
      if (event.toolCallId !== undefined && turn.calls.wasAnswered(event)) return;
      // Of what was left to a person no one has told the agent yet.
      if (refusal.kind === 'block' && refusal.ask)
        await loop().durable.owe(nextKey(turn), { goesWith: 'next-prompt', text: refusalOf(event, refusal.reason) });
      const { tool = 'a tool' } = event;
      if (turn.isPause) await loop().durable.owe(nextKey(turn), { goesWith: 'next-prompt', text: calledInPause(tool) });
      turn.calledAnyway ??= tool;
      turn.turnEnd.abort();
    },
    async tell(event) {
      const turn = attending();
      // A call that was only asked for is none: an agent that tries the same refused one again gets nowhere.
      turn.progressed = true;
      await duringTurn(turn, () => fireInTurn(loop(), turn, event.name, fieldsOf(event)));
    },
    show(activity) {
      const { watcher, mask } = loop();
      if (activity.kind === 'message') {
        words ??= createLineMask(mask);
        message = (message + activity.text).slice(-maxMessage);
        return say(words.push(activity.text));
      }
      endMessage(false);
      if (activity.kind === 'tool')
        notice({ type: 'agent.tool', ...withoutKind(activity), title: mask(activity.title) });
      else if (activity.kind === 'log') watcher.remark({ level: 'info', text: mask(activity.text) });
    },
  };
}

/** A call, and what it is about to do to the repository: who refuses the one refuses the other. */
async function fireCalling(loop: Loop, turn: Attendance, call: HookEvent): Promise<Decision> {
  const called = await fireInTurn(loop, turn, 'tool.calling', fieldsOf(call));
  if (called.kind !== 'proceed') return called;
  for (const event of await gitEventsOf(call, turn.scene.engine.listensTo)) {
    const decision = await fireInTurn(loop, turn, event.name, fieldsOf(event));
    if (decision.kind !== 'proceed') return decision;
  }
  return called;
}

const calledInPause = (tool: string): string =>
  `Between your turns you called ${tool}, which a hook refuses. Undo what it has changed, and go on without it.`;

/** A hook may leave it to a person; without one it stays a no, of which the agent hears with the next prompt. */
async function unlessPersonSays(loop: Loop, turn: Attendance, event: HookEvent, decision: Decision): Promise<Decision> {
  if (decision.kind !== 'block' || !decision.ask) return decision;
  const said = await askPerson(loop, event, decision);
  if (said.kind === 'proceed') allow(turn, fieldsOf(event));
  else await loop.durable.owe(nextKey(turn), { goesWith: 'next-prompt', text: refusalOf(event, said.reason) });
  return said;
}

async function askPerson(loop: Loop, event: HookEvent, otherwise?: Decision): Promise<Decision> {
  const said = await loop.askPerson?.(questionOf(event), loop.stop);
  if (said === 'yes') return { kind: 'proceed' };
  if (said === 'no') return block('the person at the terminal said no');
  return otherwise ?? block('--permissions ask needs a terminal with somebody at it');
}

function questionOf({ tool = 'a tool', input, file }: HookEvent): string {
  const { command } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown };
  return `Allow ${tool}: ${typeof command === 'string' ? command : (file ?? JSON.stringify(input ?? {}))}?`;
}

/** What a transcript keeps of one message. */
const maxMessage = 1024 * 1024;

type Unstamped = { type: 'agent.message'; text: string } | ({ type: 'agent.tool' } & ShownTool);
type ShownTool = Omit<Extract<AgentActivity, { kind: 'tool' }>, 'kind'>;

const fieldsOf = ({ name: _name, session: _session, at: _at, ...fields }: HookEvent): Fields => fields;

const withoutKind = <T extends { kind: string }>({ kind: _kind, ...rest }: T): Omit<T, 'kind'> => rest;
