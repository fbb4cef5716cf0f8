import { joinSignals } from '../../actions/process/cancel.ts';
import type { AgentPort, AgentStart, AgentStarted, Conversation, Turn } from '../../model/agent.ts';
import { createChangeWatch } from '../changes.ts';
import { withSafeListener } from '../listener.ts';
import { createPrograms } from '../programs.ts';
import { createPicker } from './pick.ts';
import { playTurn } from './play.ts';
import { readScript } from './script.ts';

/** Plays turns from a file: the same every time, without a model or a network. */
export const createScriptedAgent = (file: string): AgentPort => ({
  name: 'scripted',
  missing({ cwd }) {
    const reading = readScript(file, cwd);
    return reading.kind === 'missing' ? { kind: 'unavailable', reason: reading.reason } : undefined;
  },
  start: start => startScripted(file, withSafeListener(start)),
});

async function startScripted(file: string, start: AgentStart): Promise<AgentStarted> {
  if (start.signal.aborted) return { kind: 'failed', reason: 'cancelled before it was started' };
  const reading = readScript(file, start.cwd);
  if (reading.kind === 'missing') return { kind: 'unavailable', reason: reading.reason };
  if (reading.kind === 'bad') return { kind: 'failed', reason: reading.reason };
  const programs = createPrograms(start);
  let present: AbortSignal | undefined;
  const stage = { start, programs, watch: createChangeWatch(start.cwd, () => present), calls: 0 };
  const pick = createPicker(reading.script);
  let isDead = false;
  let conversations = 0;
  const converse = (id: string): Conversation => ({
    id,
    async prompt(texts, { signal, env }) {
      if (signal.aborted) return { kind: 'cancelled' };
      if (isDead || programs.stopped.aborted) return ended;
      present = signal;
      const picked = pick(texts.join('\n\n'));
      if (picked.kind === 'none') return { kind: 'failed', reason: picked.reason, agentDied: false };
      const joined = joinSignals(signal, programs.stopped);
      const turn = await playTurn(picked.turn, stage, { signal: joined.signal, env: { ...start.env, ...env } });
      joined.clear();
      isDead ||= turn.kind === 'failed' && turn.agentDied;
      return turn.kind === 'cancelled' && !signal.aborted ? ended : turn;
    },
  });
  return {
    kind: 'started',
    agent: {
      isAlive: () => !isDead && !programs.stopped.aborted,
      stop: () => programs.stop(),
      async converse({ resume } = {}) {
        conversations += 1;
        const conversation = converse(resume ?? `scripted-${conversations}`);
        return { kind: 'open', conversation, resumed: resume !== undefined };
      },
    },
  };
}

const ended: Turn = { kind: 'failed', reason: 'the scripted agent has ended', agentDied: true };
