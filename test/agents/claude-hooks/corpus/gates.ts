import { bash, type HookFile, line, says } from '../hook-file.ts';

/** Hooks of one event that crash, take too long, and print what is cut off: none of them decides anything. */
const failing = (event: string, matcher?: string): HookFile => ({
  name: `${event}: a crash, a timeout and JSON that is cut off decide nothing`,
  hooks: {
    [event]: [
      {
        ...(matcher !== undefined && { matcher }),
        hooks: [
          line(`cat > /dev/null; echo "${event}: crashed" >&2; exit 1`),
          line(`cat > /dev/null; sleep 20; echo "${event}: too late" >&2; exit 2`, { timeout: 0.1 }),
          line(`cat > /dev/null; echo '{"decision":"block","reason":"${event}: cut off'`),
        ],
      },
    ],
  },
  texts: ['crashed', 'too late', 'cut off'].map(text => `${event}: ${text}`),
});

/** The gates of one turn with calls, a subagent and a task. */
export const failingGates: readonly HookFile[] = [
  ...['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch'].map(event =>
    failing(event),
  ),
  ...['Stop', 'SubagentStop', 'TaskCompleted'].map(event => failing(event)),
];
export const gateCalls = [
  bash('echo gated'),
  bash('exit 9'),
  { name: 'TaskCreate', args: { subject: 'the task', description: 'all of it' } },
  { name: 'TaskUpdate', args: { taskId: '1', status: 'completed' } },
  {
    name: 'Agent',
    args: { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: false },
  },
];
export const failingPermissions = failing('PermissionRequest');
export const failingCompaction = failing('PreCompact');

const crashesOnce = (event: string): HookFile => ({
  name: `${event}: a crash refuses by onFailure`,
  hooks: {
    [event]: [
      {
        hooks: [
          line(
            `cat > /dev/null; test -e "$CLAUDE_PROJECT_DIR"/${event} || { touch "$CLAUDE_PROJECT_DIR"/${event}; exit 1; }`,
            { onFailure: 'block' },
          ),
        ],
      },
    ],
  },
  texts: [],
});
export const strictPrompt = crashesOnce('UserPromptSubmit');
export const strictStop = crashesOnce('Stop');
export const strictCompaction = crashesOnce('PreCompact');

/** The rarest answers. */
export const rareAnswers: readonly HookFile[] = [
  {
    name: 'what is for the screen of Claude Code alone',
    hooks: {
      SessionStart: [
        {
          hooks: [
            line(
              `echo '${JSON.stringify({ terminalSequence: '\u0007', hookSpecificOutput: { hookEventName: 'SessionStart', sessionTitle: 'screen: title', watchPaths: ['{{PROJ}}/watched.txt'], reloadSkills: true, initialUserMessage: 'screen: first words' } })}'`,
            ),
          ],
        },
      ],
    },
    texts: ['screen: title', 'screen: first words'],
  },
  {
    name: 'once counts in skills only',
    hooks: {
      PreToolUse: [
        {
          hooks: [
            line(`cat > /dev/null; ${says('PreToolUse', { additionalContext: 'once: or more' })}`, { once: true }),
          ],
        },
      ],
    },
    calls: [bash('echo once'), bash('echo twice')],
    texts: ['once: or more'],
  },
  {
    name: 'defer beside an ask',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(`grep -q 'echo asked-and-deferred' && ${says('PreToolUse', { permissionDecision: 'defer' })}; exit 0`),
            line(
              `grep -q 'echo asked-and-deferred' && ${says('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'defer: asked' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo asked-and-deferred'), bash('echo after-it')],
    texts: ['defer: asked'],
  },
];
export const defers: HookFile = {
  name: 'defer by itself',
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [line(`grep -q 'echo deferred' && ${says('PreToolUse', { permissionDecision: 'defer' })}; exit 0`)],
      },
    ],
  },
  calls: [bash('echo deferred'), bash('echo later')],
  texts: [],
};
export const interrupts: HookFile = {
  name: 'a refused permission ends the turn; a given one is kept',
  hooks: {
    PermissionRequest: [
      {
        hooks: [
          line(
            `case "$(cat)" in *"kept.txt"*) ${says('PermissionRequest', { decision: { behavior: 'allow', updatedPermissions: [{ type: 'addRules', rules: [{ toolName: 'WebFetch' }], behavior: 'allow', destination: 'session' }] } })} ;; *) ${says('PermissionRequest', { decision: { behavior: 'deny', message: 'permission: it ends here', interrupt: true } })} ;; esac`,
          ),
        ],
      },
    ],
  },
  calls: [
    bash(`python3 -c 'open("kept.txt","w")'`),
    bash(`python3 -c 'open("ended.txt","w")'`),
    bash(`python3 -c 'open("later.txt","w")'`),
  ],
  texts: ['permission: it ends here'],
};
export const suppressed: HookFile = {
  name: 'a refused prompt is not shown again',
  hooks: {
    UserPromptSubmit: [
      {
        hooks: [
          line(
            `echo '${JSON.stringify({ decision: 'block', reason: 'prompt: hidden', hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } })}'`,
          ),
        ],
      },
    ],
  },
  texts: ['prompt: hidden'],
};
