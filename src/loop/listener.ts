import type { AgentListener } from '../model/agent.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import { type Attendance, allow, block, duringTurn, fireInTurn, nextKey } from './attendance.ts';
import type { Fields } from './fire.ts';
import type { Loop } from './loop.ts';
import { refusalOf } from './pending.ts';

/** Fires the hooks of what the agent does. */
export function createListener(loop: () => Loop, present: () => Attendance | undefined): AgentListener {
  return {
    async ask(event) {
      const turn = present();
      if (!turn) return block('the turn is over');
      return duringTurn(turn, async () => {
        const fields = fieldsOf(event);
        const called = await fireInTurn(loop(), turn, 'tool.calling', fields);
        if (called.kind !== 'proceed') return unlessPersonSays(loop(), turn, event, called);
        const permitted = turn.scene.engine.listensTo('permission.requesting')
          ? await fireInTurn(loop(), turn, 'permission.requesting', fields)
          : called;
        if (permitted.kind !== 'proceed') return unlessPersonSays(loop(), turn, event, permitted);
        return loop().settings.permissions === 'ask' ? askPerson(loop(), event) : permitted;
      });
    },
    async tell(event) {
      const turn = present();
      if (!turn) return;
      // A call that was only asked for is none: an agent that tries the same refused one again gets nowhere.
      turn.progressed = true;
      await duringTurn(turn, () => fireInTurn(loop(), turn, event.name, fieldsOf(event)));
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

/** A hook may leave it to a person; without one it stays a no, of which the agent hears with the next prompt. */
async function unlessPersonSays(loop: Loop, turn: Attendance, event: HookEvent, decision: Decision): Promise<Decision> {
  if (decision.kind !== 'block' || !decision.ask) return decision;
  const said = await askPerson(loop, event, decision);
  if (said.kind === 'proceed') allow(turn, event);
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

const fieldsOf = ({ name: _name, session: _session, at: _at, ...fields }: HookEvent): Fields => fields;

const withoutKind = <T extends { kind: string }>({ kind: _kind, ...rest }: T): Omit<T, 'kind'> => rest;
