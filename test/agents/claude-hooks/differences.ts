/** Where we do otherwise than Claude Code: why, and what shows it. docs/dialects.md has the same list for people. */
export interface Difference {
  why: string;
  /** `-`: only Claude Code does this. `+`: only we do. */
  lines: readonly string[];
}

const textsOf = (heard: string, seconds: readonly number[]): string => {
  const event = heard.split(' ').at(-1);
  return `${heard}: ${seconds.map(after => `order: ${event} after ${after} s`).join(' | ')}`;
};
const slowFirst = (heard: string): string => textsOf(heard, [1, 0]);
const slowLast = (heard: string): string => textsOf(heard, [0, 1]);

export const differences: Readonly<Record<string, readonly Difference[]>> = {
  guards: [
    {
      why: 'Of several hooks that refuse a call Claude Code hands on the words of one; we hand on those of all.',
      lines: [
        '- heard 12 PreToolUse: guard two: ask the team',
        '+ heard 12 PreToolUse: guard one: no production | guard two: ask the team',
      ],
    },
  ],
  order: [
    {
      why: 'Claude Code hands on texts as the hooks finish; we in the order of the file, so that the agent reads the same every time.',
      lines: [
        ...['- heard 0 UserPromptSubmit', '- heard 1 PreToolUse', '- heard 1 PostToolUse'].map(slowLast),
        ...['+ heard 0 UserPromptSubmit', '+ heard 1 PreToolUse', '+ heard 1 PostToolUse'].map(slowFirst),
      ],
    },
  ],
  broken: [
    {
      why: 'Of a long text Claude Code shows the beginning; we show its beginning and its end, and say where the whole is.',
      lines: ['- heard 11 PostToolUse: long: begins', '+ heard 11 PostToolUse: long: begins | long: ends'],
    },
  ],
  answers: [
    {
      why: 'Claude Code throws away an answer that names another event; to us a no that is misnamed is a no.',
      lines: [
        '- firing 35, PreToolUse Bash: goes on',
        '+ firing 35, PreToolUse Bash: refused',
        '+ heard 13 PreToolUse: misnamed: denied',
      ],
    },
  ],
  handlers: [
    {
      why: '`shell: "bash"` is bash to us; Claude Code starts /bin/sh for it.',
      lines: ['+ heard 2 PreToolUse: shell: bash it is'],
    },
  ],
  judges: [
    {
      why: 'After the no of a model Claude Code ends the turn; we refuse the call and say why, so that the agent does otherwise.',
      lines: ['- firing 13, the turn ends in step 4'],
    },
  ],
  'folders-and-tasks': [
    {
      why: 'Claude Code runs hooks where the agent has gone; we at the root, so that no agent chooses which script a relative path means.',
      lines: ['- heard 2 PreToolUse: folder: where the agent is'],
    },
  ],
  'call-ends': [
    {
      why: 'A call whose hook ends the session Claude Code makes all the same, and ends then; we do not make it.',
      lines: ['- firing 5, PreToolUse Bash: goes on', '+ firing 5, PreToolUse Bash: refused'],
    },
  ],
  'batch-stops': [
    {
      why: 'A block after a batch of calls ends the turn of Claude Code without a word to the model; ours tells the agent what to fix.',
      lines: ['- firing 10, the turn ends in step 2'],
    },
  ],
  'failing-permissions': [
    {
      why: 'A permission that no hook decides about is refused by Claude Code where no one can be asked; we leave it to the agent that asks.',
      lines: ['- firing 3, PermissionRequest Bash: refused', '+ firing 3, PermissionRequest Bash: goes on'],
    },
  ],
  'strict-stop': [
    {
      why: 'At the end of a turn Claude Code passes over `onFailure: "block"`; to us a gate that cannot answer says no there, too.',
      lines: ['- firing 2, Stop: goes on', '+ firing 2, Stop: refused'],
    },
  ],
  'rare-answers': [
    {
      why: 'Run by itself Claude Code ends the turn at a `defer`, which beats an `ask`; to us it decides nothing, and the question stands.',
      lines: ['- firing 12, the turn ends in step 3'],
    },
  ],
  defer: [
    {
      why: 'Run by itself Claude Code ends the turn at a `defer`, for the program that has started it to go on; to us it decides nothing.',
      lines: [
        '- firing 2, PreToolUse Bash: refused',
        '- firing 5, the turn ends in step 1',
        '+ firing 2, PreToolUse Bash: goes on',
      ],
    },
  ],
  'mcp-tools': [
    {
      why: '`onFailure` of an `mcp_tool` hook counts with us; Claude Code passes over it.',
      lines: [
        '- firing 13, PreToolUse Bash: goes on',
        '+ firing 13, PreToolUse Bash: refused',
        '+ heard 5 PreToolUse: mcp: out of order',
      ],
    },
  ],
  wakes: [
    {
      why: 'A hook with `asyncRewake` is heard in `run`; these recordings are fired by `dispatch`, which does not wait for it.',
      lines: ['- heard 1 PostToolUse: wake: look at it again'],
    },
  ],
  'set-up': [
    {
      why: 'Setup is the start of a session to us, so that what its hooks say is heard; Claude Code keeps it from the model.',
      lines: ['+ heard 0 SessionStart: setup: tools are there', '+ heard 0 Setup: setup: tools are there'],
    },
  ],
  beside: [
    {
      why: 'Claude Code drops a refused change of its settings without a word to the model; ours says why.',
      lines: [
        '- firing 7, ConfigChange local_settings: goes on',
        '+ firing 7, ConfigChange local_settings: refused',
        '+ heard 1 ConfigChange: config: not in a session',
      ],
    },
  ],
};
