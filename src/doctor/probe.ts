import type { AgentName } from '../hosts/host.ts';
import type { ActionOutcome } from '../model/index.ts';
import { toolEvent } from './entries.ts';
import { lastWords } from './outcome-words.ts';
import type { Finding } from './report.ts';
import type { Stage } from './stage.ts';

export interface Probed {
  latencyMs: number | null;
  findings: readonly Finding[];
}

const rounds = 3;
const mostMs = 5000;

/** Runs the installed command as the agent would, without the agent: does it answer, and how long does it take? */
export async function probeEntry(
  agent: AgentName,
  command: string,
  stage: Stage,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Probed> {
  const times: number[] = [];
  // The first one compiles what the others find.
  for (let round = 0; round <= rounds; round += 1) {
    stage.clear([]);
    const { outcome, tookMs } = await stage.run({
      file: 'sh',
      args: ['-c', command],
      stdin: JSON.stringify(payloadOf(agent, stage.places.root, `canary-${round}`)),
      timeoutMs: Math.min(timeoutMs, mostMs),
      signal,
    });
    const flaw = flawOf(outcome, stage.calls().length);
    if (flaw !== undefined) return { latencyMs: null, findings: [brokenEntry(agent, flaw)] };
    if (round > 0) times.push(tookMs);
  }
  return { latencyMs: Math.round(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!), findings: [] };
}

function flawOf(outcome: ActionOutcome, calls: number): string | undefined {
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0) return lastWords(outcome);
  return calls === 0 ? 'it ran no hook' : undefined;
}

const brokenEntry = (agent: AgentName, why: string): Finding => ({
  severity: 'error',
  message: `the installed command does not work: ${why}`,
  fix: `hookloop install ${agent}`,
});

/** A shell call in the agent's own words. */
function payloadOf(agent: AgentName, cwd: string, id: string): object {
  const input = { command: 'true' };
  if (agent === 'opencode') return { tool: 'bash', sessionID: 'canary', callID: id, args: input, directory: cwd };
  if (agent === 'copilot') return { sessionId: id, timestamp: Date.now(), cwd, toolName: 'bash', toolArgs: input };
  const common = { hook_event_name: toolEvent(agent), tool_input: input, tool_use_id: id, cwd };
  if (agent === 'cursor') return { ...common, conversation_id: id, workspace_roots: [cwd], tool_name: 'Shell' };
  const tool = agent === 'gemini' || agent === 'qwen' ? 'run_shell_command' : 'Bash';
  return { ...common, session_id: id, tool_name: tool };
}
