import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedTurn, ToolUse } from '../../../src/hosts/doctor/model-server.ts';

/** How a real agent runs without anyone at it, once, and ends. */
export interface Headless {
  /** The program by its path from the folder of the agent's programs. */
  program: string;
  args(prompt: string): readonly string[];
  /** Makes its home ready for the project: trust, tools that are switched off. */
  prepare?(home: string, project: string): void;
  env?: Readonly<Record<string, string>>;
  /** Where its model calls the shell otherwise than over the protocol. */
  shell?(command: string): ToolUse;
  /** The turns in which its model says that a task is done, where it has tasks. */
  task?: readonly ScriptedTurn[];
  /** What its model hears of a task that is done. */
  taskDone?: string;
  /** A refused end of a turn makes it go on. */
  goesOn: boolean;
  /** What it goes on with it tells as a prompt. */
  promptsAgain?: true;
  /** It tells of tools that failed as such. */
  tellsOfFailures?: true;
  /** It tells when its model fails. */
  tellsOfModel?: true;
  /** It tells when its session ends. */
  tellsOfEnd?: true;
  /** A refused prompt reaches no one; else it becomes the question to tell the user why. */
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
    taskDone: 'Updated task #1',
    goesOn: true,
    tellsOfFailures: true,
    tellsOfEnd: true,
    dropsPrompts: true,
  },
  codex: {
    program: 'codex',
    args: prompt => [
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'],
      prompt,
    ],
    prepare: (home, project) =>
      appendFileSync(
        join(home, '.codex/config.toml'),
        `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
      ),
    shell: command => ({ name: 'exec_command', args: { cmd: command } }),
    goesOn: true,
    tellsOfEnd: true,
    dropsPrompts: true,
  },
  gemini: {
    program: 'gemini',
    args: prompt => ['--yolo', '-o', 'stream-json', '-p', prompt],
    // Else it starts itself a second time, with more memory.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    goesOn: true,
    promptsAgain: true,
    tellsOfEnd: true,
    dropsPrompts: true,
  },
  qwen: {
    program: 'qwen',
    prepare(home) {
      mkdirSync(join(home, '.qwen'), { recursive: true });
      writeFileSync(join(home, '.qwen/settings.json'), '{ "tools": { "todoWrite": { "enabled": true } } }\n');
    },
    args: prompt => ['--auth-type', 'openai', '--yolo', '-o', 'stream-json', prompt],
    env: { QWEN_CODE_NO_RELAUNCH: 'true' },
    task: (['pending', 'completed'] as const).map(status => ({
      text: `The task is ${status}.`,
      tools: [{ name: 'todo_write', args: { todos: [{ id: '1', content: 'the task', status }] } }],
    })),
    taskDone: '\\"status\\":\\"completed\\"}]. Continue',
    goesOn: true,
    promptsAgain: true,
    tellsOfFailures: true,
    dropsPrompts: true,
  },
  opencode: {
    program: 'opencode',
    args: prompt => ['run', '--format', 'json', prompt],
    goesOn: false,
    tellsOfModel: true,
    dropsPrompts: false,
  },
};
