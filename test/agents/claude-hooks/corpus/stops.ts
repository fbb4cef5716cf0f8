import { bash, type HookFile, line, says, script } from '../hook-file.ts';

/** Hooks at the end of a turn, each in a session of its own. */
export const stops = {
  untilDone: {
    name: 'the turn ends only when the file is there',
    hooks: { Stop: [{ hooks: [script('until.sh')] }] },
    files: {
      '.claude/hooks/until.sh':
        '#!/bin/bash\ncat > /dev/null\nif [ ! -f "$CLAUDE_PROJECT_DIR/done.txt" ]; then\n  echo "stop: done.txt is missing" >&2\n  exit 2\nfi\n',
    },
    texts: ['stop: done.txt is missing'],
  },
  onceOnly: {
    name: 'a reminder before the first end, which looks at stop_hook_active',
    hooks: { Stop: [{ hooks: [script('once.py')] }] },
    files: {
      '.claude/hooks/once.py':
        '#!/usr/bin/env python3\nimport json, sys\ndata = json.load(sys.stdin)\nif not data.get("stop_hook_active"):\n    print(json.dumps({"decision": "block", "reason": "stop: have you run the tests?"}))\n',
    },
    texts: ['stop: have you run the tests?'],
  },
  ralph: {
    name: 'ralph: the same prompt again until the promise stands in the last message',
    hooks: { Stop: [{ hooks: [script('ralph.py')] }] },
    files: {
      '.claude/hooks/ralph.py':
        '#!/usr/bin/env python3\nimport json, os, sys, time\ndata = json.load(sys.stdin)\npath = data["transcript_path"]\nlast = ""\nfor attempt in range(40):\n    rows = open(path).read().splitlines() if os.path.exists(path) else []\n    entries = [json.loads(row) for row in rows]\n    said = [block["text"] for entry in entries if entry.get("type") == "assistant" for block in entry["message"]["content"] if block.get("type") == "text"]\n    last = said[-1] if said else ""\n    if last == data["last_assistant_message"]:\n        break\n    time.sleep(0.1)\nif "PROMISE KEPT" not in last:\n    print(json.dumps({"decision": "block", "reason": "stop: go on, the promise is not kept", "systemMessage": "ralph: another round"}))\n',
    },
    texts: ['stop: go on, the promise is not kept', 'ralph: another round'],
  },
  lastMessage: {
    name: 'the last message must name the tests',
    hooks: { Stop: [{ hooks: [script('names-tests.sh')] }] },
    files: {
      '.claude/hooks/names-tests.sh':
        '#!/bin/bash\ngrep -q \'"last_assistant_message":"[^"]*tests\' && exit 0\necho \'{"decision":"block","reason":"stop: say what the tests did"}\'\n',
    },
    texts: ['stop: say what the tests did'],
  },
  two: {
    name: 'two hooks, of which one refuses',
    hooks: {
      Stop: [
        { hooks: [line('cat > /dev/null; echo "stop: plain words for no one"')] },
        {
          hooks: [
            line(
              `test -e "$CLAUDE_PROJECT_DIR"/seen || { touch "$CLAUDE_PROJECT_DIR"/seen; echo '{"decision":"block","reason":"stop: once more"}'; }`,
            ),
          ],
        },
      ],
    },
    texts: ['stop: plain words for no one', 'stop: once more'],
  },
  ends: {
    name: 'the end is final',
    hooks: {
      Stop: [
        {
          hooks: [
            line(
              `echo '{"continue":false,"stopReason":"stop: that is all","decision":"block","reason":"stop: never heard"}'`,
            ),
          ],
        },
      ],
    },
    texts: ['stop: that is all', 'stop: never heard'],
  },
  adds: {
    name: 'context at the end makes the agent go on',
    hooks: {
      Stop: [
        {
          hooks: [
            line(
              `grep -q '"stop_hook_active":false' && ${says('Stop', { additionalContext: 'stop: one thing is open' })}; exit 0`,
            ),
          ],
        },
      ],
    },
    texts: ['stop: one thing is open'],
  },
  callEnds: {
    name: 'a call ends the session',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`grep -q 'echo fatal' && echo '{"continue":false,"stopReason":"call: it is over"}'; exit 0`)],
        },
      ],
    },
    calls: [bash('echo harmless'), bash('echo fatal')],
    texts: ['call: it is over'],
  },
  resultEnds: {
    name: 'a result ends the session',
    hooks: {
      PostToolUse: [
        {
          matcher: 'Bash',
          hooks: [line(`grep -q 'echo poison' && echo '{"continue":false,"stopReason":"result: it is over"}'; exit 0`)],
        },
      ],
    },
    calls: [bash('echo clean'), bash('echo poison')],
    texts: ['result: it is over'],
  },
  batchStops: {
    name: 'a batch stops the turn',
    hooks: {
      PostToolBatch: [
        { hooks: [line(`grep -q 'echo last-batch' && echo '{"decision":"block","reason":"batch: enough"}'; exit 0`)] },
      ],
    },
    calls: [bash('echo first-batch'), bash('echo last-batch')],
    texts: ['batch: enough'],
  },
} as const satisfies Record<string, HookFile>;
