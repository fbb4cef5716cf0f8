import { bash, type HookFile, line, says, script } from '../hook-file.ts';

/** What the model is told before it begins. */
export const contexts: readonly HookFile[] = [
  {
    name: 'the branch and its last commits, as plain words',
    hooks: { SessionStart: [{ hooks: [script('branch.sh')] }] },
    files: {
      '.claude/hooks/branch.sh':
        '#!/bin/bash\necho "context: the branch is $(git branch --show-current 2>/dev/null | head -1)"\n',
    },
    texts: ['context: the branch is'],
  },
  {
    name: 'only when a session starts afresh',
    hooks: {
      SessionStart: [
        { matcher: 'startup', hooks: [line('echo "context: a fresh start"')] },
        { matcher: 'resume|compact', hooks: [line('echo "context: no fresh start"')] },
      ],
    },
    texts: ['context: a fresh start', 'context: no fresh start'],
  },
  {
    name: 'rules in JSON',
    hooks: {
      SessionStart: [{ hooks: [line(says('SessionStart', { additionalContext: 'context: rules of the house' }))] }],
    },
    texts: ['context: rules of the house'],
  },
  {
    name: 'the start of a session cannot be refused',
    hooks: { SessionStart: [{ hooks: [line('echo "start: refused in vain" >&2; exit 2')] }] },
    texts: ['start: refused in vain'],
  },
  {
    name: 'the date with every prompt',
    hooks: { UserPromptSubmit: [{ hooks: [line('echo "prompt: the date is in here"')] }] },
    texts: ['prompt: the date is in here'],
  },
  {
    name: 'words of a prompt bring rules along',
    hooks: { UserPromptSubmit: [{ hooks: [script('rules.py')] }] },
    files: {
      '.claude/hooks/rules.py':
        '#!/usr/bin/env python3\nimport json, sys\nprompt = json.load(sys.stdin)["prompt"]\nif "work" in prompt:\n    print(json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "prompt: work means tests"}}))\n',
    },
    texts: ['prompt: work means tests'],
  },
  {
    name: 'a matcher where none counts',
    hooks: { UserPromptSubmit: [{ matcher: 'nothing-like-it', hooks: [line('echo "prompt: matchers are ignored"')] }] },
    texts: ['prompt: matchers are ignored'],
  },
  {
    name: 'the person hears of it, too',
    hooks: { UserPromptSubmit: [{ hooks: [line(`echo '{"systemMessage":"shown: the prompt was read"}'`)] }] },
    texts: ['shown: the prompt was read'],
  },
  {
    name: 'variables for the session',
    hooks: {
      SessionStart: [
        { hooks: [line('[ -n "$CLAUDE_ENV_FILE" ] && echo "export FROM_HOOK=there" >> "$CLAUDE_ENV_FILE"; exit 0')] },
      ],
    },
    texts: [],
  },
  {
    name: 'instructions that are loaded are counted',
    hooks: { InstructionsLoaded: [{ hooks: [line('cat > /dev/null; echo "instructions: for no one"')] }] },
    texts: ['instructions: for no one'],
  },
];

/** Prompts that never reach a model, each in a session of its own. */
/** Hooks of one event, of which the first in the file takes longest. */
export const slowFirst: HookFile = {
  name: 'the first is the slowest',
  hooks: Object.fromEntries(
    ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'].map(event => [
      event,
      ['1', '0'].map(seconds => ({
        hooks: [line(`sleep ${seconds}; ${says(event, { additionalContext: `order: ${event} after ${seconds} s` })}`)],
      })),
    ]),
  ),
  calls: [bash('echo in order')],
  texts: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'].flatMap(event =>
    ['1', '0'].map(seconds => `order: ${event} after ${seconds} s`),
  ),
};

export const refusedPrompts: readonly HookFile[] = [
  {
    name: 'a prompt with a secret is refused by exit code 2',
    hooks: {
      UserPromptSubmit: [
        { hooks: [line('grep -q sk-live && { echo "prompt: it holds a key" >&2; exit 2; }; exit 0')] },
      ],
    },
    texts: ['prompt: it holds a key'],
  },
  {
    name: 'a prompt is refused in JSON',
    hooks: {
      UserPromptSubmit: [
        { hooks: [line(`grep -q off-topic && echo '{"decision":"block","reason":"prompt: off topic"}'; exit 0`)] },
      ],
    },
    texts: ['prompt: off topic'],
  },
  {
    name: 'a prompt ends the session',
    hooks: {
      UserPromptSubmit: [
        { hooks: [line(`grep -q stop-here && echo '{"continue":false,"stopReason":"prompt: not today"}'; exit 0`)] },
      ],
    },
    texts: ['prompt: not today'],
  },
];
