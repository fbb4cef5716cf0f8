import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentStart, Turn } from '../../model/agent.ts';
import type { HookEvent } from '../../model/index.ts';
import { toolKind } from '../../model/tools.ts';
import { unlessCancelled } from '../cancel.ts';
import type { ChangeWatch } from '../changes.ts';
import type { Programs } from '../programs.ts';
import { toldEdits } from '../told-edits.ts';
import { act } from './act.ts';
import type { ScriptTool, ScriptTurn } from './script.ts';
import { tickTool } from './tick.ts';

export interface Stage {
  start: AgentStart;
  programs: Programs;
  watch: ChangeWatch;
  /** Tool calls so far. */
  calls: number;
}

export interface Cue {
  signal: AbortSignal;
  env: Readonly<Record<string, string>>;
}

/** Plays one turn as its script says, `cancelled` where the cue's signal ends it. Contract: never rejects. */
export async function playTurn(turn: ScriptTurn, stage: Stage, cue: Cue): Promise<Turn> {
  const { listener } = stage.start;
  if (turn.delay) await delay(turn.delay * 1000, undefined, { signal: cue.signal }).catch(() => {});
  if (turn.thought !== undefined) listener.show({ kind: 'thought', text: turn.thought });
  for (const tool of turn.tools ?? []) await callTool(tool, stage, cue);
  if (turn.tick) await callTool(tickTool(turn.tick, stage.start.cwd), stage, cue);
  if (cue.signal.aborted) return { kind: 'cancelled' };
  const trouble = turn.status && writeStatus(turn.status, stage, cue);
  if (trouble !== undefined) return { kind: 'failed', reason: trouble, agentDied: false };
  if (turn.text !== undefined) listener.show({ kind: 'message', text: turn.text });
  if (turn.exit !== undefined)
    return { kind: 'failed', reason: `the scripted agent ended with exit code ${turn.exit}`, agentDied: true };
  if (turn.fail !== undefined) return { kind: 'failed', reason: turn.fail, agentDied: false };
  return { kind: 'ended', text: turn.text ?? '', stopReason: turn.stop_reason ?? 'end_turn' };
}

/** Asks, acts and tells, as an agent does. */
async function callTool(tool: ScriptTool, stage: Stage, cue: Cue): Promise<void> {
  if (cue.signal.aborted) return;
  const { listener, cwd } = stage.start;
  stage.calls += 1;
  const id = `scripted-call-${stage.calls}`;
  const show = (status: 'pending' | 'running' | 'completed' | 'failed'): void =>
    listener.show({ kind: 'tool', id, title: titleOf(tool), status });
  const { file_path: path } = (tool.input ?? {}) as { file_path?: unknown };
  const call = {
    tool: tool.name,
    toolCallId: id,
    ...(tool.input !== undefined && { input: tool.input }),
    ...(typeof path === 'string' && { file: path }),
  };
  show('pending');
  const decision = await unlessCancelled(listener.ask({ name: 'tool.calling', ...call }), cue.signal);
  if (decision?.kind !== 'proceed') {
    show('failed');
    return;
  }
  show('running');
  const isShell = toolKind(tool.name) === 'shell';
  if (isShell) await stage.watch.begin();
  const result = await act(tool, { cwd, run: script => stage.programs.run({ script, ...cue }) });
  show(result.kind === 'done' ? 'completed' : 'failed');
  // Before the hooks: what they write is not the agent's.
  const edited = isShell ? toldEdits(await stage.watch.changedSince(), listener) : result.edited;
  const event: HookEvent<'tool.called' | 'tool.failed'> =
    result.kind === 'done'
      ? { name: 'tool.called', ...call, output: result.output }
      : { name: 'tool.failed', ...call, output: result.output, error: result.error };
  await listener.tell(event);
  for (const file of edited) await listener.tell({ name: 'file.edited', file, tool: tool.name, toolCallId: id });
}

function titleOf({ name, input }: ScriptTool): string {
  const { command, file_path: path } = (input ?? {}) as Record<string, unknown>;
  return `${name} ${command ?? path ?? ''}`.trim();
}

function writeStatus(status: object, { start }: Stage, { env }: Cue): string | undefined {
  const file = env['STATUS'];
  if (!file) return 'the script writes a status, but STATUS names no file';
  try {
    writeFileSync(resolve(start.cwd, file), `${JSON.stringify(status)}\n`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
