import { bash, type HookFile, line, says, script } from '../hook-file.ts';

const only = (word: string): string => `grep -q '${word}' || exit 0; `;

/** Hooks that crash, take too long, or say what no one understands. */
export const broken: readonly HookFile[] = [
  {
    name: 'a crash lets the call through',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [line(`${only('echo crash')}echo "crash: trace" >&2; exit 1`)] }] },
    calls: [bash('echo crash')],
    texts: ['crash: trace'],
  },
  {
    name: 'a crash that blocks by onFailure',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`${only('echo strict-crash')}echo "strict: trace" >&2; exit 1`, { onFailure: 'block' })],
        },
      ],
    },
    calls: [bash('echo strict-crash')],
    texts: [],
  },
  {
    name: 'a timeout lets the call through',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(`${only('echo slow')}sleep 20; echo "slow: no" >&2; exit 2`, { timeout: 1 })] },
      ],
    },
    calls: [bash('echo slow')],
    texts: ['slow: no'],
  },
  {
    name: 'a timeout that blocks by onFailure',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(`${only('echo strict-slow')}sleep 20`, { timeout: 1, onFailure: 'block' })] },
      ],
    },
    calls: [bash('echo strict-slow')],
    texts: [],
  },
  {
    name: 'JSON that is cut off decides nothing',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(`${only('echo cut')}echo '{"decision":"block","reason":"cut: off'`)] },
      ],
    },
    calls: [bash('echo cut')],
    texts: ['cut: off'],
  },
  {
    name: 'words before the JSON spoil it',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`${only('echo spoilt')}echo loading; echo '{"decision":"block","reason":"spoilt: by words"}'`)],
        },
      ],
    },
    calls: [bash('echo spoilt')],
    texts: ['spoilt: by words'],
  },
  {
    name: 'a script that is not there',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [script('gone.sh')] }] },
    texts: [],
  },
  {
    name: 'a script without the right to run',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [script('plain.sh')] }] },
    files: { '.claude/hooks/plain.sh': 'echo "plain: refused" >&2\nexit 2\n' },
    texts: ['plain: refused'],
  },
  {
    name: 'exit code 2 without a word',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [line(`${only('echo mute')}exit 2`)] }] },
    calls: [bash('echo mute')],
    texts: [],
  },
  {
    name: 'exit code 2 beats an allow in JSON',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `${only('echo both')}${says('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'both: fine' })}; echo "both: no" >&2; exit 2`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo both')],
    texts: ['both: no'],
  },
  {
    name: 'a deny in JSON counts with exit code 1, too',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `${only('echo odd')}${says('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'odd: denied' })}; exit 1`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo odd')],
    texts: ['odd: denied'],
  },
  {
    name: 'an unknown decision decides nothing',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`${only('echo vague')}echo '{"decision":"maybe","reason":"vague: perhaps"}'`)],
        },
      ],
    },
    calls: [bash('echo vague')],
    texts: ['vague: perhaps'],
  },
  {
    name: 'a long text is cut',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `${only('echo long')}python3 -c 'import json; print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "long: begins " + "x" * 20000 + " long: ends"}}))'`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo long')],
    texts: ['long: begins', 'long: ends'],
  },
];
