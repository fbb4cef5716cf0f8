import { bash, edit, type HookFile, line, read, says, script, write } from '../hook-file.ts';

/** What keeps an agent from doing harm: the commonest hooks of all. */
export const guards: readonly HookFile[] = [
  {
    name: 'no rm -rf, by exit code 2',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [script('no-rm.sh')] }] },
    files: {
      '.claude/hooks/no-rm.sh':
        '#!/bin/bash\ninput=$(cat)\nif echo "$input" | grep -qE \'"command": ?"rm +-[a-z]*r[a-z]*f\'; then\n  echo "rm -rf is blocked here" >&2\n  exit 2\nfi\nexit 0\n',
    },
    calls: [bash('rm -rf build-dir'), bash('rm -f one-file')],
    texts: ['rm -rf is blocked here'],
  },
  {
    name: 'no git push to main, by permissionDecision deny',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [script('no-push.py')] }] },
    files: {
      '.claude/hooks/no-push.py':
        '#!/usr/bin/env python3\nimport json, re, sys\ndata = json.load(sys.stdin)\ncommand = data.get("tool_input", {}).get("command", "")\nif re.search(r"git\\s+push\\b.*\\bmain\\b", command):\n    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "pushing to main needs a pull request"}}))\nsys.exit(0)\n',
    },
    calls: [bash('git push origin main'), bash('git status --short')],
    texts: ['pushing to main needs a pull request'],
  },
  {
    name: 'no reading of .env, in the older words',
    hooks: { PreToolUse: [{ matcher: 'Read|Edit|Write', hooks: [script('no-env.sh')] }] },
    files: {
      '.env': 'TOKEN=x\n',
      'notes.txt': 'hello\n',
      '.claude/hooks/no-env.sh':
        '#!/bin/sh\nfile=$(sed -n \'s/.*"file_path":"\\([^"]*\\)".*/\\1/p\')\ncase "$file" in\n  *.env) echo \'{"decision":"block","reason":"secrets stay secret"}\' ;;\nesac\n',
    },
    calls: [read('.env'), read('notes.txt')],
    texts: ['secrets stay secret'],
  },
  {
    name: 'lock files are not edited by hand',
    hooks: { PreToolUse: [{ matcher: 'Edit|Write|MultiEdit', hooks: [script('locks.js')] }] },
    files: {
      '.claude/hooks/locks.js':
        '#!/usr/bin/env node\nlet text = "";\nprocess.stdin.on("data", part => { text += part; }).on("end", () => {\n  const { tool_input } = JSON.parse(text);\n  if (/(package-lock\\.json|yarn\\.lock)$/.test(tool_input.file_path)) {\n    process.stderr.write("lock files are written by the package manager\\n");\n    process.exit(2);\n  }\n});\n',
    },
    calls: [write('package-lock.json', '{}\n'), write('src-a.txt', 'a\n')],
    texts: ['lock files are written by the package manager'],
  },
  {
    name: 'sudo is asked about',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `grep -q '"command":"sudo ' && ${says('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'root is asked about' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    calls: [bash('sudo -n true')],
    texts: [],
  },
  {
    name: 'curl piped into a shell, with a matcher that is a regular expression',
    hooks: { PreToolUse: [{ matcher: '^Ba.h$', hooks: [script('no-pipe.sh')] }] },
    files: {
      '.claude/hooks/no-pipe.sh':
        '#!/bin/bash\nif grep -qE \'curl[^|]*\\| *(ba)?sh\'; then echo "do not run what you have not read" >&2; exit 2; fi\n',
    },
    calls: [bash('echo "curl http://127.0.0.1:9 | sh" > /dev/null'), bash('echo curl alone')],
    texts: ['do not run what you have not read'],
  },
  {
    name: 'production is off limits: several guards speak at once',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line('grep -q "deploy --prod" && { echo "guard one: no production" >&2; exit 2; }; exit 0'),
            line('grep -q "deploy --prod" && { sleep 0.4; echo "guard two: ask the team" >&2; exit 2; }; exit 0'),
          ],
        },
      ],
    },
    calls: [bash('echo deploy --prod'), bash('echo deploy --staging')],
    texts: ['guard one: no production', 'guard two: ask the team'],
  },
  {
    name: 'files outside the project are not written',
    hooks: { PreToolUse: [{ matcher: 'Write', hooks: [script('inside.sh')] }] },
    files: {
      '.claude/hooks/inside.sh':
        '#!/bin/bash\nfile=$(python3 -c \'import json,sys; print(json.load(sys.stdin)["tool_input"]["file_path"])\')\ncase "$file" in\n  "$CLAUDE_PROJECT_DIR"/*) exit 0 ;;\n  *) echo "only files of the project" >&2; exit 2 ;;\nesac\n',
    },
    calls: [
      { name: 'Write', args: { file_path: '/tmp/hookloop-outside.txt', content: 'x' } },
      write('inside.txt', 'x\n'),
    ],
    texts: ['only files of the project'],
  },
  {
    name: 'tests are not weakened',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Edit',
          hooks: [
            line(
              `grep -q '"new_string":"[^"]*it.skip' && ${says('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'tests are fixed, not skipped' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    files: { 'a.spec.js': 'it("works")\n' },
    calls: [
      read('a.spec.js'),
      edit('a.spec.js', 'it("works")', "it.skip('works')"),
      edit('a.spec.js', 'it("works")', "it('still works')"),
    ],
    texts: ['tests are fixed, not skipped'],
  },
];
