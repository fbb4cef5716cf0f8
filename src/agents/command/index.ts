import { randomUUID } from 'node:crypto';
import type { AgentPort, AgentStart, AgentStarted, Conversation, Turn } from '../../model/agent.ts';
import type { ActionOutcome } from '../../model/index.ts';
import { type ChangeWatch, createChangeWatch, watchNothing } from '../changes.ts';
import { withSafeListener } from '../listener.ts';
import { missingProgram } from '../missing-program.ts';
import { createPrograms, type Programs } from '../programs.ts';
import { toldEdits } from '../told-edits.ts';
import { compileAgentCommand } from './compile.ts';
import { createTranscript } from './transcript.ts';

/** Any program: the prompt on stdin, the answer on stdout, one process a prompt. */
export const createCommandAgent = (command: string, options: CommandOptions = {}): AgentPort => ({
  name: 'command',
  missing: place => missingProgram('command', command, place),
  start: start => startCommand(command, withSafeListener(start), options),
});

export interface CommandOptions {
  /** False: nobody listens to edited files (default true). */
  watchEdits?: boolean;
  /** Gets each line of stderr as it comes; absent: it is shown. Contract: does not throw. */
  onLog?: ((line: string) => void) | undefined;
}

async function startCommand(
  command: string,
  start: AgentStart,
  { watchEdits = true, onLog = text => start.listener.show({ kind: 'log', text }) }: CommandOptions,
): Promise<AgentStarted> {
  if (start.signal.aborted) return { kind: 'failed', reason: 'cancelled before it was started' };
  const compiled = compileAgentCommand(command);
  if (compiled.kind === 'refused') return { kind: 'failed', reason: compiled.reason };
  const missing = missingProgram('command', command, start);
  if (missing) return missing;
  const turn: Place['turn'] = {};
  const watch = watchEdits ? createChangeWatch(start.cwd, () => turn.signal) : watchNothing;
  const place = { ...start, programs: createPrograms(start), watch, turn, onLog };
  const { programs } = place;
  return {
    kind: 'started',
    agent: {
      isAlive: () => !programs.stopped.aborted,
      stop: () => programs.stop(),
      async converse({ resume } = {}) {
        const resumed = resume !== undefined && compiled.keepsSessions;
        const id = resumed ? resume : randomUUID();
        return { kind: 'open', conversation: createConversation(id, compiled, place, resumed), resumed };
      },
    },
  };
}

interface Place extends AgentStart {
  programs: Programs;
  watch: ChangeWatch;
  /** Who waits for the present turn. */
  turn: { signal?: AbortSignal };
  onLog(line: string): void;
}

function createConversation(
  id: string,
  { script, keepsSessions }: { script: string; keepsSessions: boolean },
  { listener, programs, watch, turn: present, onLog }: Place,
  resumed: boolean,
): Conversation {
  const transcript = createTranscript();
  let turns = resumed ? 1 : 0;
  return {
    id,
    async prompt(texts, { signal, env }) {
      if (signal.aborted) return { kind: 'cancelled' };
      if (programs.stopped.aborted) return { kind: 'failed', reason: 'the agent was stopped', agentDied: true };
      turns += 1;
      present.signal = signal;
      const message = texts.join('\n\n');
      await watch.begin();
      if (signal.aborted) return { kind: 'cancelled' };
      const outcome = await programs.run({
        script,
        stdin: keepsSessions ? message : transcript.withNext(message),
        env: { ...env, HOOKLOOP_CONVERSATION: id, HOOKLOOP_TURN: String(turns) },
        signal,
        onLog,
      });
      for (const file of toldEdits(await watch.changedSince(), listener))
        await listener.tell({ name: 'file.edited', file });
      const turn = signal.aborted ? ({ kind: 'cancelled' } as const) : toTurn(outcome);
      if (turn.kind !== 'cancelled') transcript.add(message, answerOf(turn, outcome));
      if (turn.kind === 'ended') listener.show({ kind: 'message', text: turn.text });
      return turn;
    },
  };
}

function toTurn(outcome: ActionOutcome): Turn {
  switch (outcome.kind) {
    case 'exited':
      if (outcome.exitCode === 0) return { kind: 'ended', text: outcome.stdout.trim(), stopReason: 'end_turn' };
      return failed(`the agent's command ended with exit code ${outcome.exitCode}`, outcome);
    case 'killed':
      return failed(`the agent's command was ended by ${outcome.signal}`, outcome);
    case 'cancelled':
      return { kind: 'failed', reason: 'the agent was stopped', agentDied: true };
    case 'not-started':
      return { kind: 'failed', reason: `the agent's command did not start: ${outcome.reason}`, agentDied: false };
    default:
      return { kind: 'failed', reason: `the agent's command: ${outcome.kind}`, agentDied: false };
  }
}

/** What the next prompt repeats: of a turn that failed what it printed, and how it ended. */
function answerOf(turn: Exclude<Turn, { kind: 'cancelled' }>, outcome: ActionOutcome): string {
  if (turn.kind === 'ended') return turn.text;
  const [how = ''] = turn.reason.split('\n', 1);
  const { stdout, stderr } = 'stdout' in outcome ? outcome : { stdout: '', stderr: '' };
  return [stdout.trim(), `[this turn failed: ${how}]`, endOf(stderr)].filter(text => text !== '').join('\n');
}

const lastLines = 20;
const endOf = (text: string): string => text.trim().split('\n').slice(-lastLines).join('\n').slice(-4000);

/** Some programs complain on stdout. */
function failed(how: string, { stdout, stderr }: { stdout: string; stderr: string }): Turn {
  const said = endOf(stderr.trim() === '' ? stdout : stderr);
  return { kind: 'failed', reason: said === '' ? how : `${how}\n${said}`, agentDied: false };
}
