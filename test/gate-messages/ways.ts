import { expect } from 'vitest';
import { acceptTrust, inspectTrust } from '../../src/app/trust.ts';
import { shellCalls } from '../../src/hosts/fixtures/shell-calls.ts';
import type { Payload } from '../../src/hosts/host.ts';
import { type AgentName, agentNames } from '../../src/hosts/index.ts';
import { diary, type Project } from '../loop/project.ts';
import { root } from '../program.ts';
import type { Moment } from './gates.ts';

/** A way in which a hook's words reach an agent. */
export interface Way {
  title: string;
  moment: Moment;
  /** What the agent calls its shell. */
  tool: string;
  /** Whose own hook it is. */
  agent?: AgentName;
  /** Files that the way needs. */
  files?: Readonly<Record<string, string>>;
  /** It may ask its own user about a tool call. */
  asksUser?: true;
  /** Everything that the agent is told. */
  tell(project: Project): string[] | Promise<string[]>;
}

/** Over ACP it does what its prompt says, and keeps what it was told. */
const acp = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' --load`;

const run = (moment: 'task' | 'turn'): Way => ({
  ...{ title: 'run', moment, tool: 'Bash', files: diary() },
  tell(project) {
    project.talk(['--prompt', 'build it', '--max-retries', '1']);
    return project.heard().map(({ text }) => text);
  },
});

const runOverAcp: Way = {
  ...{ title: 'run over ACP', moment: 'tool', tool: 'Bash' },
  tell(project) {
    const env = { AGENT_MEMORY: project.pathOf('~/memory.json') };
    const prompt = 'shell touch made';
    project.run(['run', '--agent', acp, '--session', 's', '--prompt', prompt, '--max-iterations', '2'], { env });
    const heard = Object.values(JSON.parse(project.read('~/memory.json')) as Record<string, string[]>).flat();
    return heard.map(text => text.replace(/^Refused: Bash\. /, '').replace(/\n?shell touch made$/, ''));
  },
};

const events = { task: 'task.completing', tool: 'tool.calling', turn: 'turn.ending' };

const dispatch = (moment: Moment): Way => ({
  ...{ title: 'dispatch', moment, tool: 'Bash' },
  tell(project) {
    const input = JSON.stringify(moment === 'tool' ? { tool: 'Bash', input: { command: 'ls' } } : {});
    const { stdout, exit } = project.run(['dispatch', events[moment]], { input });
    const { feedback, decision } = JSON.parse(stdout) as { feedback: string; decision: { reason?: string } };
    return exit === 2 ? [feedback || (decision.reason ?? '')] : [];
  },
});

const host = (
  agent: AgentName,
  moment: Moment,
  tool: string,
  event: string,
  payload: (cwd: string) => Payload,
): Way => ({
  ...{ title: `hook ${agent} ${event}`, moment, tool, agent },
  ...((agent === 'claude' || agent === 'copilot') && moment === 'tool' && { asksUser: true }),
  async tell(project) {
    const where = { cwd: project.project, env: { HOME: project.home } };
    expect(await acceptTrust(inspectTrust(where), where.env)).toMatchObject({ kind: 'kept' });
    const ran = project.run(['hook', agent, event], { input: JSON.stringify(payload(project.project)) });
    // Claude Code takes some words for those of a shell that misses the script: they are told with a space more.
    const said = ran.exit === 2 ? [ran.stderr.trimEnd().replaceAll(/(no|can't) {2}/gi, '$1 ')] : [];
    return [...said, ...textsIn(ran.stdout === '' ? {} : JSON.parse(ran.stdout))];
  },
});

const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

const shellNames: Readonly<Record<AgentName, string>> = {
  ...{ claude: 'Bash', codex: 'Bash', gemini: 'run_shell_command', qwen: 'run_shell_command' },
  ...{ opencode: 'bash', cursor: 'Shell', copilot: 'bash' },
};

const ended =
  (name: string, more: Payload = {}) =>
  (cwd: string) => ({
    ...{ session_id: 's', cwd, hook_event_name: name, stop_hook_active: false },
    ...more,
  });

export const ways: readonly Way[] = [
  ...[run('task'), run('turn'), runOverAcp],
  ...(['task', 'tool', 'turn'] as const).map(dispatch),
  host('claude', 'task', 'Bash', 'TaskCompleted', ended('TaskCompleted', { task_id: '1', task_subject: 'one' })),
  host(
    'qwen',
    'task',
    'Bash',
    'TodoCompleted',
    ended('TodoCompleted', { todo_id: '1', todo_content: 'one', phase: 'validation' }),
  ),
  ...agentNames.map(agent =>
    host(agent, 'tool', shellNames[agent], shellCalls[agent].event, cwd => shellCalls[agent].payload('ls', cwd)),
  ),
  ...(['claude', 'codex', 'qwen'] as const).map(agent => host(agent, 'turn', 'Bash', 'Stop', ended('Stop'))),
  host('gemini', 'turn', 'Bash', 'AfterAgent', ended('AfterAgent', { prompt: 'x', prompt_response: 'y' })),
  host('cursor', 'turn', 'Bash', 'stop', cwd => ({
    ...{ conversation_id: 'c', hook_event_name: 'stop', workspace_roots: [cwd], status: 'completed', loop_count: 0 },
  })),
  host('copilot', 'turn', 'Bash', 'agentStop', cwd => ({ sessionId: 's', timestamp: 1, cwd, stopReason: 'end_turn' })),
];
