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
      stdin: JSON.stringify(
        payloads[agent]({ id: `canary-${round}`, cwd: stage.places.root, native: toolEvent(agent) }),
      ),
      timeoutMs: Math.min(timeoutMs, mostMs),
      signal,
    });
    const flaw = flawOf(outcome, stage.calls().length);
    if (flaw !== undefined) return { latencyMs: null, findings: [brokenEntry(agent, command, flaw)] };
    if (round > 0) times.push(tookMs);
  }
  return { latencyMs: Math.round(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!), findings: [] };
}

function flawOf(outcome: ActionOutcome, calls: number): string | undefined {
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0) return lastWords(outcome);
  return calls === 0 ? 'it ran no hook' : undefined;
}

const brokenEntry = (agent: AgentName, command: string, why: string): Finding => ({
  severity: 'error',
  message: `the installed command does not work: ${why}`,
  // The committed entry finds the program by its name.
  fix: command.startsWith('hookloop ') ? 'npm install -g hookloop' : `hookloop install ${agent}`,
});

type PayloadOf = (call: { id: string; cwd: string; native: string }) => object;

const input = { command: 'true' };

const likeClaude =
  (tool: string): PayloadOf =>
  ({ id, cwd, native }) => ({
    ...{ hook_event_name: native, session_id: id, cwd },
    ...{ tool_name: tool, tool_input: input, tool_use_id: id },
  });

/** A shell call in each agent's own words. */
const payloads: Readonly<Record<AgentName, PayloadOf>> = {
  claude: likeClaude('Bash'),
  codex: likeClaude('Bash'),
  gemini: likeClaude('run_shell_command'),
  qwen: likeClaude('run_shell_command'),
  cursor: call => ({ ...likeClaude('Shell')(call), conversation_id: call.id, workspace_roots: [call.cwd] }),
  copilot: ({ id, cwd }) => ({ sessionId: id, timestamp: Date.now(), cwd, toolName: 'bash', toolArgs: input }),
  opencode: ({ id, cwd }) => ({ tool: 'bash', sessionID: 'canary', callID: id, args: input, directory: cwd }),
};
