import { bash, type HookFile, line, says, script, write } from '../hook-file.ts';

/** What runs after tools: formatters, linters, loggers, notifiers. */
export const formatters: readonly HookFile[] = [
  {
    name: 'a formatter after each edit',
    hooks: { PostToolUse: [{ matcher: 'Edit|MultiEdit|Write', hooks: [script('format.sh')] }] },
    files: {
      '.claude/hooks/format.sh':
        '#!/bin/bash\nfile=$(python3 -c \'import json,sys; print(json.load(sys.stdin)["tool_input"]["file_path"])\')\n[[ "$file" == *.list ]] && sort -o "$file" "$file"\nexit 0\n',
    },
    calls: [write('names.list', 'b\na\n')],
    texts: [],
  },
  {
    name: 'a linter that blocks with a reason',
    hooks: { PostToolUse: [{ matcher: 'Write', hooks: [script('lint.sh')] }] },
    files: {
      '.claude/hooks/lint.sh':
        '#!/bin/bash\nfile=$(python3 -c \'import json,sys; print(json.load(sys.stdin)["tool_input"]["file_path"])\')\nif grep -q "console.log" "$file" 2>/dev/null; then\n  echo \'{"decision":"block","reason":"lint: console.log is left in the file"}\'\nfi\n',
    },
    calls: [write('app.js', 'console.log(1)\n'), write('clean.js', 'run()\n')],
    texts: ['lint: console.log is left in the file'],
  },
  {
    name: 'a type check that speaks by exit code 2',
    hooks: { PostToolUse: [{ matcher: 'Write', hooks: [script('types.sh')] }] },
    files: {
      '.claude/hooks/types.sh':
        '#!/bin/sh\nif grep -q \'"content":"let x: number = .a.\'; then echo "types: a text is no number" >&2; exit 2; fi\n',
    },
    calls: [write('types.ts', "let x: number = 'a'\n"), write('good.ts', 'let x = 1\n')],
    texts: ['types: a text is no number'],
  },
  {
    name: 'a logger of all commands',
    hooks: { PreToolUse: [{ matcher: '*', hooks: [line('cat >> "$CLAUDE_PROJECT_DIR"/commands.log')] }] },
    calls: [bash('echo logged')],
    texts: [],
  },
  {
    name: 'a reminder after a commit',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `grep -q '"command":"git commit' && ${says('PostToolUse', { additionalContext: 'reminder: update the changelog' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('git commit --allow-empty -q -m x || true'), bash('git branch --show-current')],
    texts: ['reminder: update the changelog'],
  },
  {
    name: 'what failed is explained',
    hooks: {
      PostToolUseFailure: [
        {
          matcher: 'Bash',
          hooks: [line(says('PostToolUseFailure', { additionalContext: 'hint: run the set-up first' }))],
        },
      ],
    },
    calls: [bash('exit 7')],
    texts: ['hint: run the set-up first'],
  },
  {
    name: 'a failure that is worded by exit code 2',
    hooks: {
      PostToolUseFailure: [
        { matcher: 'Bash', hooks: [line('grep -q "exit 8" && { echo "hint: eight is bad" >&2; exit 2; }; exit 0')] },
      ],
    },
    calls: [bash('exit 8')],
    texts: ['hint: eight is bad'],
  },
  {
    name: 'one check for all calls of an answer',
    hooks: {
      PostToolBatch: [
        {
          hooks: [
            line(
              `grep -q 'echo batch-work' && ${says('PostToolBatch', { additionalContext: 'batch: all calls were seen' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('echo batch-work')],
    texts: ['batch: all calls were seen'],
  },
  {
    name: 'a person is told of each write',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Write',
          hooks: [line(`grep -q told.txt && echo '{"systemMessage":"told.txt was written"}'; exit 0`)],
        },
      ],
    },
    calls: [write('told.txt', 'x\n')],
    texts: ['told.txt was written'],
  },
  {
    name: 'output is suppressed',
    hooks: {
      PostToolUse: [
        { matcher: 'Bash', hooks: [line(`grep -q 'echo quiet' && echo '{"suppressOutput":true}'; exit 0`)] },
      ],
    },
    calls: [bash('echo quiet')],
    texts: ['suppressOutput'],
  },
  {
    name: 'plain words after a tool are for no one',
    hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [line('echo "chatter of a hook"')] }] },
    texts: ['chatter of a hook'],
  },
];
