import { randomUUID } from 'node:crypto';
import type { AgentPort, AgentStart, AgentStarted, Conversation, Turn } from '../model/agent.ts';
import type { ActionOutcome } from '../model/index.ts';
import { fieldsOf, jsonOf } from '../model/json.ts';
import { readRegularFile } from '../platform/files.ts';
import { compileCommand } from '../shell/placeholder.ts';
import { createPrograms } from './agent-programs.ts';
import { createChangeWatch, toldEdits } from './changes.ts';
import { execLine, missingProgram } from './command-line.ts';
import { inSeconds } from './limits/reset-time.ts';
import { agentPort } from './port.ts';

export interface CommandOptions {
  /** False: no one listens to edited files, and to look for them costs some milliseconds each time (default true). */
  watchEdits?: boolean;
  /** Gets each line of stderr as it comes; absent: it is shown. Contract: does not throw. */
  onLog?: ((line: string) => void) | undefined;
}

/** Any program: the prompt on stdin, the answer on stdout, one process a prompt. */
export const createCommandAgent = (command: string, options: CommandOptions = {}): AgentPort =>
  agentPort({
    name: 'command',
    missing: context => missingProgram('command', command, context),
    start: start => startCommand(command, start, options),
  });

async function startCommand(
  command: string,
  start: AgentStart,
  { watchEdits = true, onLog = text => start.listener.show({ kind: 'log', text }) }: CommandOptions,
): Promise<AgentStarted> {
  const { listener } = start;
  const compiled = compileAgentCommand(command);
  if (compiled.kind === 'refused') return { kind: 'failed', reason: compiled.reason };
  const missing = missingProgram('command', command, start);
  if (missing) return missing;
  const { script, keepsSessions } = compiled;
  const programs = createPrograms(start);
  let present: AbortSignal | undefined;
  const watch = watchEdits ? createChangeWatch(start.cwd, () => present) : undefined;

  const converse = (id: string, resumed: boolean): Conversation => {
    const transcript = createTranscript();
    let turns = resumed ? 1 : 0;
    return {
      id,
      async prompt(texts, { signal, env }) {
        if (signal.aborted) return { kind: 'cancelled' };
        if (programs.stopped.aborted) return stopped;
        turns += 1;
        present = signal;
        const message = texts.join('\n\n');
        await watch?.begin();
        if (signal.aborted) return { kind: 'cancelled' };
        const outcome = await programs.run({
          script,
          stdin: keepsSessions ? message : transcript.withNext(message),
          env: { ...env, HOOKLOOP_CONVERSATION: id, HOOKLOOP_TURN: String(turns) },
          signal,
          onLog,
        });
        for (const file of toldEdits((await watch?.changedSince()) ?? [], listener))
          await listener.tell({ name: 'file.edited', file });
        if (signal.aborted) return { kind: 'cancelled' };
        const turn = toTurn(outcome, start.env['STATUS']);
        transcript.add(message, answerOf(turn, outcome));
        if (turn.kind === 'ended') listener.show({ kind: 'message', text: turn.text });
        return turn;
      },
    };
  };
  return {
    kind: 'started',
    agent: {
      isAlive: () => !programs.stopped.aborted,
      stop: () => programs.stop(),
      async converse({ resume } = {}) {
        const resumed = resume !== undefined && keepsSessions;
        return { kind: 'open', conversation: converse(resumed ? resume : randomUUID(), resumed), resumed };
      },
    },
  };
}

/** `{session}` becomes a reference to HOOKLOOP_CONVERSATION: the program keeps its conversations itself, by that id. */
function compileAgentCommand(
  command: string,
): { kind: 'compiled'; script: string; keepsSessions: boolean } | { kind: 'refused'; reason: string } {
  if (command.trim() === '') return { kind: 'refused', reason: 'the command after command: is empty' };
  const compiled = compileCommand(execLine(command), {
    pattern: /\{(session)\}/g,
    variableOf: () => 'HOOKLOOP_CONVERSATION',
  });
  if (compiled.kind === 'refused') return { kind: 'refused', reason: `${compiled.message}; ${compiled.hint}` };
  return { kind: 'compiled', script: compiled.script, keepsSessions: compiled.variables.length > 0 };
}

type Finished = Exclude<Turn, { kind: 'cancelled' }>;

const stopped: Finished = { kind: 'failed', reason: 'the agent was stopped', agentDied: true };

function toTurn(outcome: ActionOutcome, statusFile: string | undefined): Finished {
  switch (outcome.kind) {
    case 'exited':
      if (outcome.exitCode === 0) return { kind: 'ended', text: outcome.stdout.trim(), stopReason: 'end_turn' };
      if (outcome.exitCode === isLimited) return limited(outcome, statusFile);
      return failed(`the agent's command ended with exit code ${outcome.exitCode}`, outcome);
    case 'killed':
      return failed(`the agent's command was ended by ${outcome.signal}`, outcome);
    case 'cancelled':
      return stopped;
    case 'not-started':
      return failed(`the agent's command did not start: ${outcome.reason}`);
    default:
      return failed(`the agent's command: ${outcome.kind}`);
  }
}

/** EX_TEMPFAIL of sysexits.h: it may not go on for now. */
const isLimited = 75;
const maxStatusBytes = 1024 * 1024;

/** `retry_after` in status.json says for how many seconds. */
function limited(outcome: Said, statusFile: string | undefined): Finished {
  const found = statusFile === undefined ? undefined : readRegularFile(statusFile, maxStatusBytes);
  const status = fieldsOf(found?.kind === 'bytes' ? jsonOf(found.bytes.toString()) : undefined);
  const until = inSeconds(status['retry_after'], new Date());
  return {
    ...{ kind: 'limited', limit: 'rate', ...(until && { until: until.toISOString() }) },
    reason: reasonOf(`the agent's command is limited (exit code ${isLimited})`, outcome),
  };
}

type Said = { stdout: string; stderr: string };

const failed = (how: string, outcome: Said = { stdout: '', stderr: '' }): Finished => ({
  ...{ kind: 'failed', reason: reasonOf(how, outcome), agentDied: false },
});

/** Some programs complain on stdout. */
function reasonOf(how: string, { stdout, stderr }: Said): string {
  const said = endOf(stderr.trim() === '' ? stdout : stderr);
  return said === '' ? how : `${how}\n${said}`;
}

/** What the next prompt repeats: of a turn that failed what it printed, and how it ended. */
function answerOf(turn: Finished, outcome: ActionOutcome): string {
  if (turn.kind === 'ended') return turn.text;
  const [how = ''] = turn.reason.split('\n', 1);
  const { stdout, stderr } = 'stdout' in outcome ? outcome : { stdout: '', stderr: '' };
  return [stdout.trim(), `[this turn failed: ${how}]`, endOf(stderr)].filter(text => text !== '').join('\n');
}

const lastLines = 20;
const endOf = (text: string): string => text.trim().split('\n').slice(-lastLines).join('\n').slice(-4000);

const maxLength = 256 * 1024;

/**
 * How a conversation reaches a program that remembers nothing. The first message stands alone, exactly as it is.
 * With every later one all earlier messages come again:
 *
 *     [conversation so far]
 *     [user]
 *     first message
 *     [assistant]
 *     first answer
 *     [end of conversation so far]
 *
 *     second message
 */
function createTranscript(): { withNext(message: string): string; add(message: string, answer: string): void } {
  const turns: string[] = [];
  let length = 0;
  let isCut = false;
  return {
    withNext(message) {
      if (turns.length === 0) return message;
      const start = isCut ? '[conversation so far, the oldest messages left out]' : '[conversation so far]';
      return [start, ...turns, '[end of conversation so far]', '', message].join('\n');
    },
    add(message, answer) {
      const turn = `[user]\n${message}\n[assistant]\n${answer}`;
      turns.push(turn);
      length += turn.length;
      while (length > maxLength && turns.length > 1) {
        length -= turns.shift()!.length;
        isCut = true;
      }
    },
  };
}
