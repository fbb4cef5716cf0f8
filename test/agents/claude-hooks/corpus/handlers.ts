import { bash, type HookFile, line, says, script } from '../hook-file.ts';

const denied = (reason: string): string =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  });

/** Every kind of handler. */
export const handlers: readonly HookFile[] = [
  {
    name: 'a program with its arguments',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'command',
              command: 'node',
              args: ['${CLAUDE_PROJECT_DIR}/.claude/hooks/exec.js', 'args: $HOME is text'],
            },
          ],
        },
      ],
    },
    files: {
      '.claude/hooks/exec.js':
        'let text = "";\nprocess.stdin.on("data", part => { text += part; }).on("end", () => {\n  if (text.includes("echo exec-form")) console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: process.argv[2] } }));\n});\n',
    },
    calls: [bash('echo exec-form')],
    texts: ['args: $HOME is text'],
  },
  {
    name: 'bash by name',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `[[ "$(cat)" == *"echo bashism"* ]] && ${says('PreToolUse', { additionalContext: 'shell: bash it is' })}; exit 0`,
              { shell: 'bash' },
            ),
          ],
        },
      ],
    },
    calls: [bash('echo bashism')],
    texts: ['shell: bash it is'],
  },
  {
    name: 'a server that refuses',
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'http', url: '{{URL}}/deny', if: 'Bash(echo web-denied)' }] }],
    },
    serves: { '/deny': { body: denied('http: denied') } },
    calls: [bash('echo web-denied'), bash('echo web-allowed')],
    texts: ['http: denied'],
  },
  {
    name: 'a server that fails lets the call through',
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'http', url: '{{URL}}/fails', if: 'Bash(echo web-fails)' }] }],
    },
    serves: { '/fails': { status: 500, body: denied('http: failed') } },
    calls: [bash('echo web-fails')],
    texts: ['http: failed'],
  },
  {
    name: 'a server that fails and blocks by onFailure',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [{ type: 'http', url: '{{URL}}/strict', if: 'Bash(echo web-strict)', onFailure: 'block' }],
        },
      ],
    },
    serves: { '/strict': { status: 503 } },
    calls: [bash('echo web-strict')],
    texts: [],
  },
  {
    name: 'a server that hangs is left alone in time',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'http', url: '{{URL}}/hangs', if: 'Bash(echo web-hangs)', timeout: 1 }] },
      ],
    },
    serves: { '/hangs': { hangs: true } },
    calls: [bash('echo web-hangs')],
    texts: [],
  },
  {
    name: 'a server that adds context',
    hooks: {
      PostToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'http', url: '{{URL}}/context', if: 'Bash(echo web-context)' }] },
      ],
    },
    serves: {
      '/context': {
        body: JSON.stringify({
          hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'http: context' },
        }),
      },
    },
    calls: [bash('echo web-context')],
    texts: ['http: context'],
  },
  {
    name: 'what runs beside decides nothing',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line('grep -q "echo beside" && { echo "async: no" >&2; exit 2; }; exit 0', { async: true })],
        },
      ],
    },
    calls: [bash('echo beside')],
    texts: ['async: no'],
  },
  {
    name: 'a line while it runs',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [script('status.sh', { statusMessage: 'Checking the command', timeout: 30 })] },
      ],
    },
    files: { '.claude/hooks/status.sh': '#!/bin/sh\ncat > /dev/null\n' },
    texts: ['Checking the command'],
  },
];

/** Hooks that ask a model. */
export const judges: readonly HookFile[] = [
  {
    name: 'a model is asked before a call',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'prompt',
              prompt: 'question-of-the-prompt-hook: is this call safe? $ARGUMENTS',
              if: 'Bash(echo judged)',
            },
          ],
        },
      ],
    },
    judges: { 'question-of-the-prompt-hook': { ok: false, reason: 'judge: not safe' } },
    texts: ['judge: not safe'],
  },
  {
    name: 'a model says no, and the agent goes on',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'prompt',
              prompt: 'question-of-the-mild-hook: is this call safe? $ARGUMENTS',
              if: 'Bash(echo mildly)',
              continueOnBlock: true,
            },
          ],
        },
      ],
    },
    judges: { 'question-of-the-mild-hook': { ok: false, reason: 'judge: rather not' } },
    calls: [bash('echo mildly'), bash('echo unjudged')],
    texts: ['judge: rather not'],
  },
  {
    name: 'a model says yes',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [{ type: 'prompt', prompt: 'question-of-the-kind-hook: fine? $ARGUMENTS', if: 'Bash(echo kindly)' }],
        },
      ],
    },
    judges: { 'question-of-the-kind-hook': { ok: true } },
    calls: [bash('echo kindly'), bash('echo judged')],
    texts: [],
  },
];
