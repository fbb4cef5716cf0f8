import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedTurn, ToolUse } from '../models/server.ts';

/** How a real agent runs without anybody at it, once, and ends. */
export interface Headless {
  /** The program by its path from the folder of the agent's programs. */
  program: string;
  args(prompt: string): readonly string[];
  /** Makes it trust the project, where it would not read its hooks else. */
  trustProject?(home: string, project: string): void;
  env?: Readonly<Record<string, string>>;
  /** Where its model calls the shell otherwise than over the protocol. */
  shell?(command: string): ToolUse;
  /** How its model marks a task as done; the first turns may be needed to have one. */
  task?: readonly ScriptedTurn[];
  /** A refused end of a turn makes it go on. */
  goesOn: boolean;
  /** It fires an event when its model fails. */
  tellsOfFailure: boolean;
  /** A refused prompt reaches nobody; else it becomes the question to tell the user why. */
  dropsPrompts: boolean;
}

export const headless: Readonly<Record<string, Headless>> = {
  claude: {
    // The preset's package brings the program itself with it.
    program: `../@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
    args: prompt => [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash Write Edit Read TaskCreate TaskUpdate'],
    ],
    env: { CLAUDE_CODE_ENABLE_TASKS: '1' },
    task: [
      { text: 'I plan.', tools: [{ name: 'TaskCreate', args: { subject: 'the task', description: 'all of it' } }] },
      { text: 'I am done.', tools: [{ name: 'TaskUpdate', args: { taskId: '1', status: 'completed' } }] },
    ],
    goesOn: true,
    tellsOfFailure: true,
    dropsPrompts: true,
  },
  codex: {
    program: 'codex',
    args: prompt => [
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'],
      prompt,
    ],
    trustProject: (home, project) =>
      appendFileSync(
        join(home, '.codex/config.toml'),
        `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
      ),
    shell: command => ({ name: 'exec_command', args: { cmd: command } }),
    goesOn: true,
    tellsOfFailure: false,
    dropsPrompts: true,
  },
  gemini: {
    program: 'gemini',
    args: prompt => ['--yolo', '-o', 'stream-json', '-p', prompt],
    goesOn: true,
    tellsOfFailure: false,
    dropsPrompts: true,
  },
  qwen: {
    program: 'qwen',
    args: prompt => ['--auth-type', 'openai', '--yolo', '-o', 'stream-json', prompt],
    task: [
      {
        text: 'I am done.',
        tools: [{ name: 'todo_write', args: { todos: [{ id: '1', content: 'the task', status: 'completed' }] } }],
      },
    ],
    goesOn: true,
    tellsOfFailure: true,
    dropsPrompts: true,
  },
  opencode: {
    program: 'opencode',
    args: prompt => ['run', '--format', 'json', prompt],
    goesOn: false,
    tellsOfFailure: true,
    dropsPrompts: false,
  },
};

