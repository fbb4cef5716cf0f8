import { createLineMask, type LineMask } from '../hooks/secrets/create-mask.ts';
import { gitEventsOf } from '../hosts/native-events.ts';
import type { AgentActivity, AgentListener } from '../model/agent.ts';
import { changedInput, withInput } from '../model/changed-call.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import { createChangedCalls } from './changed-calls.ts';
import type { Fields, InSession } from './fire.ts';
import { refusedCallText } from './pending-texts.ts';
import { block, type RunningTurn } from './running-turn.ts';
import type { AgentPorts } from './session.ts';

/** Fires the hooks of what the agent does, and shows it to people. */
interface ConversationListener extends AgentListener {
  /** The turn is over: what was held back of the agent's words is shown. `isCut`: no event tells that it is. */
  endMessage(isCut: boolean): void;
}

interface Listening extends InSession, Pick<AgentPorts, 'askPerson'> {}

/** `turnOrPause`: what takes in what the agent does, in a turn or between two. */
export function createListener(listening: Listening, turnOrPause: () => RunningTurn): ConversationListener {
  const { durable, mask, paths, settings, watcher } = listening.session;
  // An agent says a secret in as many pieces as it likes.
  let words: LineMask | undefined;
  const notice = (told: Unstamped): void =>
    watcher.notice({ at: new Date().toISOString(), session: paths.name, ...told });
  const say = (text: string): void => {
    if (text !== '') notice({ type: 'agent.message', text });
  };
  const changed = createChangedCalls(durable);
  let message = '';
  const endMessage = (isCut: boolean): void => {
    say(words?.end() ?? '');
    if (isCut && message !== '') say('\n');
    if (message !== '') turnOrPause().record.said(message);
    message = '';
  };
  return {
    endMessage,
    async ask(event, known) {
      const turn = turnOrPause();
      if (turn.isPause) return block('the turn is over');
      return turn.during(async () => {
        const called = known ?? (await fireCalling(turn, event, changed.isAsOffered(event)));
        const wanted = changedInput(called);
        if (wanted !== undefined) return changed.refuse(turn, event, wanted);
        // What a hook refuses by itself is no permission that was denied.
        if (called.kind !== 'proceed')
          return called.kind === 'block' && called.ask
            ? tellIfDenied(turn, event, await unlessPersonSays(listening, turn, event, called))
            : called;
        const permitted = turn.position.engine.listensTo('permission.requesting')
          ? await turn.fire('permission.requesting', fieldsOf(event), 'protocol', changed.isAsOffered(event))
          : called;
        const granted = changedInput(permitted);
        if (granted !== undefined) return changed.refuse(turn, event, granted);
        if (permitted.kind !== 'proceed')
          return tellIfDenied(turn, event, await unlessPersonSays(listening, turn, event, permitted));
        return settings.permissions === 'ask' ? tellIfDenied(turn, event, await ask(listening, event)) : permitted;
      });
    },
    async calling(event) {
      const turn = turnOrPause();
      return turn.during(() => fireCalling(turn, event, changed.isAsOffered(event)));
    },
    async calledAnyway(event, refusal) {
      const turn = turnOrPause();
      if (turn.wasAnswered(event)) return;
      // The agent has not been told yet of a refusal that was left to a person.
      if (refusal.kind === 'block' && refusal.ask)
        await durable.pending.tellWithNextPrompt(turn.nextKey(), refusedCallText(event, refusal.reason));
      const { tool = 'a tool' } = event;
      if (turn.isPause) await durable.pending.tellWithNextPrompt(turn.nextKey(), calledInPause(tool));
      turn.calledAnyway ??= tool;
      turn.turnEnd.abort();
    },
    async tell(event) {
      const turn = turnOrPause();
      turn.noticed(event.name);
      await turn.during(() => turn.fire(event.name, fieldsOf(event)));
    },
    show(activity) {
      if (activity.kind === 'message') {
        words ??= createLineMask(mask, 'word');
        message = (message + activity.text).slice(-maxMessage);
        return say(words.push(activity.text));
      }
      if (activity.kind === 'usage') return turnOrPause().record.using(activity.usage);
      endMessage(false);
      if (activity.kind === 'tool')
        notice({ type: 'agent.tool', ...withoutKind(activity), id: mask(activity.id), title: mask(activity.title) });
      else if (activity.kind === 'log') watcher.remark({ level: 'info', text: mask(activity.text) });
    },
  };
}

/** A call, and what it is about to do to the repository: whoever refuses one refuses the other. */
async function fireCalling(turn: RunningTurn, call: HookEvent, isFixed: boolean): Promise<Decision> {
  const called = await turn.fire('tool.calling', fieldsOf(call), 'protocol', isFixed);
  if (called.kind !== 'proceed') return called;
  const made = called.input === undefined ? call : withInput(call, called.input);
  for (const event of await gitEventsOf(made, turn.position.engine.listensTo)) {
    const decision = await turn.fire(event.name, fieldsOf(event));
    if (decision.kind !== 'proceed') return decision;
  }
  return called;
}

const calledInPause = (tool: string): string =>
  `Between your turns you called ${tool}, which a hook refuses. Undo what it has changed, and go on without it.`;

/** A hook may leave it to a person; without one it stays a no, of which the agent hears with the next prompt. */
async function unlessPersonSays(
  listening: Listening,
  turn: RunningTurn,
  event: HookEvent,
  decision: Decision,
): Promise<Decision> {
  if (decision.kind !== 'block' || !decision.ask) return decision;
  const said = await ask(listening, event, decision);
  if (said.kind === 'proceed') turn.allow(fieldsOf(event));
  else {
    const key = turn.nextKey();
    turn.record.refused(key, event);
    await listening.session.durable.pending.tellWithNextPrompt(key, refusedCallText(event, said.reason));
  }
  return said;
}

/** Tells hooks of a call that was not permitted. */
async function tellIfDenied(turn: RunningTurn, event: HookEvent, decision: Decision): Promise<Decision> {
  if (decision.kind !== 'proceed' && turn.position.engine.listensTo('permission.denied'))
    await turn.fire('permission.denied', { ...fieldsOf(event), reason: decision.reason });
  return decision;
}

async function ask({ session, askPerson }: Listening, event: HookEvent, otherwise?: Decision): Promise<Decision> {
  const said = await askPerson?.(questionOf(event), session.stop);
  if (said === 'yes') return { kind: 'proceed' };
  if (typeof said === 'object') {
    const why = session.mask(said.no.trim());
    return block(`the person at the terminal said no${why === '' ? '' : `: ${why}`}`);
  }
  return otherwise ?? block('--permissions ask needs a terminal with a person at it');
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
