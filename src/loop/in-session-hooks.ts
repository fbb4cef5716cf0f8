import { isAbsolute, relative, resolve } from 'node:path';
import { mayRunAll } from '../hooks/trust/may-run.ts';
import type { Answer } from '../hosts/host.ts';
import { lifeEventNames } from '../hosts/in-session.ts';
import { type AgentName, agentNames, hosts } from '../hosts/index.ts';
import { gitEventNames } from '../hosts/native-events.ts';
import { respond } from '../hosts/respond.ts';
import type { ControlReply } from '../model/control.ts';
import type { EventName, EventResult, HookEvent } from '../model/index.ts';
import type { Loop } from './loop-parts.ts';
import { type Session, warn } from './session.ts';

interface HostRequest {
  agent: string;
  event?: string;
  input: string;
}

/** What only the agent knows. Everything else of the session the loop itself tells, so the agent's word for it is passed over. */
const fromAgent: ReadonlySet<EventName> = new Set([
  'tool.calling',
  'permission.requesting',
  'tool.called',
  'tool.failed',
  'file.edited',
  ...gitEventNames,
  ...lifeEventNames,
]);

/** Answers a call of the agent's own hook system with the session's hooks. */
export async function answerWithSessionHooks(loop: Loop, { agent, event, input }: HostRequest): Promise<ControlReply> {
  const name = agentNames.find(known => known === agent);
  if (!name) return { kind: 'refused', reason: `unknown agent ${agent}` };
  const { session } = loop;
  const answer: Answer = await respond(
    { agent: name, event, input, env: session.env, cwd: session.settings.root },
    {
      plan: async () => ({
        hooks: hooksNow(session),
        problems: [],
        mayRun: mayRunAll,
        fire: async told => (isLeftToProtocol(name, told.name) ? passedOver(told.name) : fireTold(loop, told)),
      }),
      warn: text => warn(session, text),
      log: () => {},
      memory: undefined,
      claims: undefined,
      now: () => new Date().toISOString(),
    },
  );
  return { kind: 'ok', value: answer };
}

const hooksNow = ({ now, plan, hooks }: Session) =>
  [...(now.position.stage?.hooks ?? []), ...plan.hooks, ...hooks].filter(hook => fromAgent.has(hook.event));

/** An agent whose hooks know no failure calls a failed tool called; the protocol knows better. */
const isLeftToProtocol = (agent: AgentName, event: EventName): boolean =>
  event === 'tool.called' && !Object.values(hosts[agent].events).some(({ fires }) => fires.includes('tool.failed'));

const passedOver = (event: EventName): EventResult => ({
  event,
  decision: { kind: 'proceed' },
  feedback: '',
  results: [],
});

async function fireTold(loop: Loop, event: HookEvent): Promise<EventResult> {
  const { name, session: _session, at: _at, agent: _agent, cwd: _cwd, file, ...rest } = event;
  const fields = { ...rest, ...(file !== undefined && { file: asToldByProtocol(loop.session, file) }) };
  const turn = loop.agent.turnOrPause();
  turn.noticed(name);
  const decision = await turn.during(() => turn.fire(name, fields, 'hooks'));
  return { event: name, decision, feedback: '', results: [] };
}

/** The protocol tells files relative to the root; by the same name they are known to be the same. */
function asToldByProtocol({ settings: { root } }: Session, file: string): string {
  const inside = relative(root, resolve(root, file));
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}
