import type { AgentListener } from '../model/agent.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import { type Fields, fire } from './fire.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** One turn of the agent, while it lasts. */
export interface Attendance {
  scene: Scene;
  /** Names the turn; events in it are numbered. */
  key: string;
  count: number;
  progressed: boolean;
  turnEnd: AbortController;
  /** A hook in this turn has ended the session. */
  ending?: SessionEnd;
}

/** Fires the hooks of what the agent does. */
export function createListener(loop: () => Loop, present: () => Attendance | undefined): AgentListener {
  return {
    async ask(event) {
      const turn = present();
      if (!turn) return block('the turn is over');
      turn.progressed = true;
      return duringTurn(turn, async () => {
        const fields = fieldsOf(event);
        const called = await fireIn(loop(), turn, 'tool.calling', fields);
        if (called.kind !== 'proceed') return unlessPersonSays(loop(), event, called);
        const permitted = turn.scene.engine.listensTo('permission.requesting')
          ? await fireIn(loop(), turn, 'permission.requesting', fields)
          : called;
        if (permitted.kind !== 'proceed') return unlessPersonSays(loop(), event, permitted);
        return loop().settings.permissions === 'ask' ? askPerson(loop(), event) : permitted;
      });
    },
    async tell(event) {
      const turn = present();
      if (!turn) return;
      turn.progressed = true;
      await duringTurn(turn, () => fireIn(loop(), turn, event.name, fieldsOf(event)));
    },
    show(activity) {
      const { watcher, paths, mask } = loop();
      const base = { at: new Date().toISOString(), session: paths.name };
      if (activity.kind === 'message') watcher.notice({ ...base, type: 'agent.message', text: mask(activity.text) });
      else if (activity.kind === 'tool')
        watcher.notice({ ...base, type: 'agent.tool', ...withoutKind(activity), title: mask(activity.title) });
      else if (activity.kind === 'log') watcher.remark({ level: 'info', text: mask(activity.text) });
    },
  };
}

const block = (reason: string): Decision => ({ kind: 'block', reason, by: 'hookloop' });

async function fireIn(loop: Loop, turn: Attendance, name: HookEvent['name'], fields: Fields): Promise<Decision> {
  turn.count += 1;
  const result = await fire(loop, turn.scene, name, { key: `${turn.key}/e${turn.count}`, fields });
  return result.decision.kind === 'proceed' || result.feedback === ''
    ? result.decision
    : { ...result.decision, reason: result.feedback };
}

/** A hook that ends the session ends the turn too; the agent hears a no meanwhile. */
async function duringTurn(turn: Attendance, work: () => Promise<Decision>): Promise<Decision> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionEnd)) throw error;
    turn.ending ??= error;
    turn.turnEnd.abort();
    return block(error.message);
  }
}

/** A hook may leave it to a person; without one it stays a no. */
const unlessPersonSays = (loop: Loop, event: HookEvent, decision: Decision): Promise<Decision> | Decision =>
  decision.kind === 'block' && decision.ask ? askPerson(loop, event, decision) : decision;

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

const fieldsOf = ({ name: _name, session: _session, at: _at, ...fields }: HookEvent): Fields => fields;

const withoutKind = <T extends { kind: string }>({ kind: _kind, ...rest }: T): Omit<T, 'kind'> => rest;
