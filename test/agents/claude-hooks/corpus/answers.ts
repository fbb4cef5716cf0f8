import { bash, type HookFile, line, says, write } from '../hook-file.ts';

const pre = (word: string, fields: object): string => `grep -q '${word}' && ${says('PreToolUse', fields)}; exit 0`;

/** Every field of an answer. */
export const answers: readonly HookFile[] = [
  {
    name: 'updatedInput rewrites a command',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              pre('echo rewrite-me', {
                permissionDecision: 'allow',
                updatedInput: { command: 'echo rewritten > rewritten.txt', description: 'rewritten' },
              }),
            ),
          ],
        },
      ],
    },
    calls: [bash('echo rewrite-me > original.txt'), bash('echo leave-me')],
    texts: [],
  },
  {
    name: 'updatedInput alone, with one of the fields',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(pre('echo change-me', { updatedInput: { command: 'echo changed' } }))] },
      ],
    },
    calls: [bash('echo change-me')],
    texts: [],
  },
  {
    name: 'updatedInput sends a file elsewhere',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Write',
          hooks: [
            line(
              pre('astray.txt', {
                permissionDecision: 'allow',
                updatedInput: { file_path: '{{PROJ}}/found.txt', content: 'found' },
              }),
            ),
          ],
        },
      ],
    },
    calls: [write('astray.txt', 'lost')],
    texts: [],
  },
  {
    name: 'updatedInput of a call that is refused',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              pre('echo not-even', {
                permissionDecision: 'deny',
                permissionDecisionReason: 'input: not even changed',
                updatedInput: { command: 'echo changed', description: 'changed' },
              }),
            ),
          ],
        },
      ],
    },
    calls: [bash('echo not-even')],
    texts: ['input: not even changed'],
  },
  {
    name: 'an allow with a reason',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(pre('echo allowed', { permissionDecision: 'allow', permissionDecisionReason: 'allow: known' }))],
        },
      ],
    },
    calls: [bash('echo allowed')],
    texts: ['allow: known'],
  },
  {
    name: 'deny beats allow',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(pre('echo contested', { permissionDecision: 'allow' }))] },
        {
          matcher: 'Bash',
          hooks: [
            line(pre('echo contested', { permissionDecision: 'deny', permissionDecisionReason: 'contested: no' })),
          ],
        },
      ],
    },
    calls: [bash('echo contested')],
    texts: ['contested: no'],
  },
  {
    name: 'context before a call',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(pre('echo advised', { additionalContext: 'advice: be careful' }))] },
      ],
    },
    calls: [bash('echo advised')],
    texts: ['advice: be careful'],
  },
  {
    name: 'a refusal with context and a word for the person',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `grep -q 'echo everything' && echo '${JSON.stringify({ systemMessage: 'everything: shown', hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'everything: denied', additionalContext: 'everything: beside' } })}'; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo everything')],
    texts: ['everything: shown', 'everything: denied', 'everything: beside'],
  },
  {
    name: 'approve, in the oldest words',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`grep -q 'echo oldest' && echo '{"decision":"approve","reason":"oldest: fine"}'; exit 0`)],
        },
      ],
    },
    calls: [bash('echo oldest')],
    texts: ['oldest: fine'],
  },
  {
    name: 'updatedToolOutput changes what the model reads',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `grep -q 'echo tell-secret' && ${says('PostToolUse', { updatedToolOutput: { stdout: 'output: replaced', stderr: '', interrupted: false, isImage: false } })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo tell-secret')],
    texts: ['output: replaced'],
  },
  {
    name: 'a block after a call with context beside it',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Write',
          hooks: [
            line(
              `grep -q twice.txt && echo '${JSON.stringify({ decision: 'block', reason: 'twice: fix it', hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'twice: and mind this' } })}'; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [write('twice.txt', 'x\n')],
    texts: ['twice: fix it', 'twice: and mind this'],
  },
  {
    name: 'an answer for another event does not count',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `grep -q 'echo misnamed' && ${says('PostToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'misnamed: denied' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo misnamed')],
    texts: ['misnamed: denied'],
  },
];
