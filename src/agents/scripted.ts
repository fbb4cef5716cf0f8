import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentPort, AgentStart, AgentStarted, Conversation, Turn, Usage } from '../model/agent.ts';
import type { ActionOutcome } from '../model/index.ts';
import { given } from '../model/json.ts';
import { claudeFamilyName, shellTextOf, toolKind } from '../model/tool-call.ts';
import { joinSignals, unlessCancelled } from '../platform/cancel.ts';
import { createPrograms, type Programs } from './agent-programs.ts';
import { type ChangeWatch, createChangeWatch, toldEdits } from './changes.ts';
import { agentPort } from './port.ts';
import { createPicker, readScript, type ScriptTool, type ScriptTurn, type ScriptUsed } from './script.ts';

/** Plays turns from a file: the same every time, without a model or a network. */
export const createScriptedAgent = (file: string): AgentPort =>
  agentPort({
    name: 'scripted',
    missing({ cwd }) {
      const reading = readScript(file, cwd);
      return reading.kind === 'unavailable' ? { kind: 'unavailable', reason: reading.reason } : undefined;
    },
    start: start => startScripted(file, start),
  });

async function startScripted(file: string, start: AgentStart): Promise<AgentStarted> {
  const reading = readScript(file, start.cwd);
  if (reading.kind !== 'script') return reading;
  const programs = createPrograms(start);
  let present: AbortSignal | undefined;
  const watch = createChangeWatch(start.cwd, () => present);
  let calls = 0;
  const nextCall = (): string => {
    calls += 1;
    return `scripted-call-${calls}`;
  };
  const pick = createPicker(reading.script);
  let isDead = false;
  let conversations = 0;
  const process = randomUUID().slice(0, 8);
  const converse = (id: string): Conversation => ({
    id,
    async prompt(texts, { signal, env }) {
      if (signal.aborted) return { kind: 'cancelled' };
      if (isDead || programs.stopped.aborted) return ended;
      present = signal;
      const picked = pick(texts.join('\n\n'));
      if ('reason' in picked) return { kind: 'failed', reason: picked.reason, agentDied: false };
      const joined = joinSignals(signal, programs.stopped);
      const context = { ...start, programs, watch, nextCall, signal: joined.signal, env: { ...start.env, ...env } };
      const turn = await playTurn(picked, context);
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
        const conversation = converse(resume ?? `scripted-${process}-${conversations}`);
        return { kind: 'open', conversation, resumed: resume !== undefined };
      },
    },
  };
}

const ended: Turn = { kind: 'failed', reason: 'the scripted agent has ended', agentDied: true };

/** With the signal and the environment of the turn. */
interface TurnContext extends AgentStart {
  programs: Programs;
  watch: ChangeWatch;
  /** The id of a tool call. */
  nextCall(): string;
}

/** Plays one turn as its script says, `cancelled` where its signal ends it. Contract: never rejects. */
async function playTurn(turn: ScriptTurn, context: TurnContext): Promise<Turn> {
  const { listener, cwd, signal, env } = context;
  if (turn.delay) await delay(turn.delay * 1000, undefined, { signal }).catch(() => {});
  if (turn.thought !== undefined) listener.show({ kind: 'thought', text: turn.thought });
  for (const tool of turn.tools ?? []) await callTool(tool, context);
  if (turn.tick) await callTool(tickTool(turn.tick, cwd), context);
  if (signal.aborted) return { kind: 'cancelled' };
  const trouble = turn.status && writeStatus(turn.status, cwd, env['STATUS']);
  if (trouble !== undefined) return { kind: 'failed', reason: trouble, agentDied: false };
  if (turn.text !== undefined) listener.show({ kind: 'message', text: turn.text });
  if (turn.exit !== undefined)
    return { kind: 'failed', reason: `the scripted agent ended with exit code ${turn.exit}`, agentDied: true };
  if (turn.fail !== undefined) return { kind: 'failed', reason: turn.fail, agentDied: false };
  if (turn.signed_out !== undefined)
    return { kind: 'failed', reason: turn.signed_out, agentDied: false, signedOut: true };
  if (turn.limit) return limitedBy(turn.limit);
  const stopReason = turn.stop_reason ?? 'end_turn';
  return { kind: 'ended', text: turn.text ?? '', stopReason, ...(turn.usage && { tokens: turn.usage }) };
}

function limitedBy({ kind, until, retry_after: seconds, reason }: NonNullable<ScriptTurn['limit']>): Turn {
  const at = seconds === undefined ? until : new Date(Date.now() + seconds * 1000).toISOString();
  const said = { limit: kind, reason: reason ?? `${kind} limit reached` };
  return { kind: 'limited', ...said, ...(at !== undefined && { until: at }) };
}

/** Asks, acts and tells, as an agent does. */
async function callTool(tool: ScriptTool, context: TurnContext): Promise<void> {
  const { listener, cwd, programs, watch, signal, env } = context;
  if (signal.aborted) return;
  const id = context.nextCall();
  const { command, file_path: path } = (tool.input ?? {}) as Fields;
  const title = `${tool.name} ${command ?? path ?? ''}`.trim();
  const show = (status: 'pending' | 'running' | 'completed' | 'failed'): void =>
    listener.show({ kind: 'tool', id, title, status });
  const call = {
    tool: tool.name,
    toolCallId: id,
    ...(tool.input !== undefined && { input: tool.input }),
    ...(typeof path === 'string' && { file: path }),
  };
  show('pending');
  const decision = await unlessCancelled(listener.ask({ name: 'tool.calling', ...call }), signal);
  if (decision?.kind !== 'proceed') return show('failed');
  show('running');
  const isShell = toolKind(tool.name) === 'shell';
  if (isShell) await watch.begin();
  const { output, error, edited } = await act(tool, cwd, script => programs.run({ script, signal, env }));
  show(error === undefined ? 'completed' : 'failed');
  // Before the hooks: what they write is not the agent's.
  const found = isShell ? toldEdits(await watch.changedSince(), listener) : edited;
  await listener.tell(
    error === undefined ? { name: 'tool.called', ...call, output } : { name: 'tool.failed', ...call, output, error },
  );
  for (const file of found) await listener.tell({ name: 'file.edited', file, tool: tool.name, toolCallId: id });
  if (tool.used) listener.show({ kind: 'usage', usage: usageOf(tool.used) });
}

const usageOf = ({ input, output, cost, context, context_size: contextSize }: ScriptUsed): Usage =>
  given({
    tokens: input === undefined && output === undefined ? undefined : { input: input ?? 0, output: output ?? 0 },
    cost: cost === undefined ? undefined : { amount: cost, currency: 'USD' },
    contextUsed: context,
    contextSize,
  });

type Fields = Readonly<Record<string, unknown>>;

/** What a tool gave; with an error where it failed. */
interface Acted {
  output: unknown;
  error?: string;
  edited: readonly string[];
}

type Run = (script: string) => Promise<ActionOutcome>;

/** Does what the tool of that name does; tools that no one knows give back what the script says. */
async function act(tool: ScriptTool, cwd: string, run: Run): Promise<Acted> {
  if (tool.fails !== undefined) return failed(tool.fails);
  const acts = tools[claudeFamilyName(tool.name) ?? tool.name];
  if (!acts) return done(tool.output ?? '');
  try {
    return await acts((tool.input ?? {}) as Fields, cwd, run);
  } catch (error) {
    return failed((error as Error).message);
  }
}

const tools: Readonly<Record<string, (input: Fields, cwd: string, run: Run) => Promise<Acted> | Acted>> = {
  async Bash(input, _cwd, run) {
    const command = shellTextOf(input);
    if (command === undefined) return failed('input.command is missing');
    const outcome = await run(command);
    if (outcome.kind !== 'exited') return failed(outcome.kind === 'not-started' ? outcome.reason : outcome.kind);
    const { stdout, stderr, exitCode } = outcome;
    const output = { stdout, stderr, exit_code: exitCode };
    return exitCode === 0 ? done(output) : failed(`exit code ${exitCode}\n${stderr}`.trim(), output);
  },
  Write(input, cwd) {
    const path = textOf(input, 'file_path');
    const file = resolve(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(input, 'content'));
    return done(`wrote ${path}`, [path]);
  },
  Edit(input, cwd) {
    const path = textOf(input, 'file_path');
    const [before, after] = [textOf(input, 'old_string'), textOf(input, 'new_string')];
    const content = readFileSync(resolve(cwd, path), 'utf8');
    if (!content.includes(before)) return failed(`${path} does not contain the text to replace`);
    const isAll = input['replace_all'] === true;
    const edited = isAll ? content.replaceAll(before, () => after) : content.replace(before, () => after);
    writeFileSync(resolve(cwd, path), edited);
    return done(`edited ${path}`, [path]);
  },
  Read: (input, cwd) => done(readFileSync(resolve(cwd, textOf(input, 'file_path')), 'utf8')),
};

function textOf(input: Fields, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Error(`input.${name} is missing`);
  return value;
}

const done = (output: unknown, edited: readonly string[] = []): Acted => ({ output, edited });
const failed = (error: string, output: unknown = error): Acted => ({ output, error, edited: [] });

/** The edit that ticks a task; where there is none to tick, a tool that fails and says so. */
function tickTool({ file, task }: { file: string; task?: string }, cwd: string): ScriptTool {
  const edit = (fields: object): ScriptTool => ({ name: 'Edit', input: { file_path: file, ...fields } });
  let lines: string[];
  try {
    lines = readFileSync(resolve(cwd, file), 'utf8').split('\n');
  } catch (error) {
    return { ...edit({}), fails: (error as Error).message };
  }
  const line = lines.find(each => /^\s*[-*+] \[ \] /.test(each) && (task === undefined || each.includes(task)));
  const which = task === undefined ? 'task' : `task "${task}"`;
  if (line === undefined) return { ...edit({}), fails: `${file} has no open ${which}` };
  return edit({ old_string: line, new_string: line.replace('[ ]', '[x]') });
}

function writeStatus(status: object, cwd: string, file: string | undefined): string | undefined {
  if (!file) return 'the script writes a status, but STATUS names no file';
  try {
    writeFileSync(resolve(cwd, file), `${JSON.stringify(status)}\n`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
