import { bash, type HookFile, line, says } from '../hook-file.ts';

const own = [
  ...['DirectoryAdded', 'Elicitation', 'ElicitationResult', 'MessageDisplay', 'PostModelSwitch', 'PreModelSwitch'],
  ...['TaskCreated', 'UserPromptExpansion', 'WorktreeCreate', 'WorktreeRemove'],
];

/** Events that nothing of ours is like: their hooks are left to Claude Code. */
export const claudesOwn: HookFile = {
  name: 'events of Claude Code alone',
  hooks: Object.fromEntries(own.map(event => [event, [{ hooks: [line(`cat > /dev/null; echo "own: ${event}"`)] }]])),
  calls: [{ name: 'TaskCreate', args: { subject: 'the task', description: 'all of it' } }],
  texts: own.map(event => `own: ${event}`),
};

/** Events that a session without a person at it does not come to, in Claude Code as with us. */
export const unheardOf: HookFile = {
  name: 'events that need a team, or a person who is away',
  hooks: {
    TeammateIdle: [{ hooks: [line('cat > /dev/null; echo "idle: go on" >&2; exit 2')] }],
    PermissionDenied: [{ hooks: [line(says('PermissionDenied', { retry: true }))] }],
  },
  texts: ['idle: go on'],
};

export const setsUp: HookFile = {
  name: 'a project is set up',
  hooks: {
    Setup: [
      { matcher: 'init', hooks: [line(says('Setup', { additionalContext: 'setup: tools are there' }))] },
      { matcher: 'maintenance', hooks: [line(says('Setup', { additionalContext: 'setup: swept' }))] },
    ],
  },
  texts: ['setup: tools are there', 'setup: swept'],
};

/** What happens beside the conversation. */
export const beside: HookFile = {
  name: 'a watched file and the settings change',
  hooks: {
    FileChanged: [{ matcher: '.envrc|other.env', hooks: [line('cat > /dev/null; echo "changed: for no one"')] }],
    ConfigChange: [
      { matcher: 'local_settings', hooks: [line('cat > /dev/null; echo "config: not in a session" >&2; exit 2')] },
    ],
  },
  files: {
    'other.env': 'a\n',
    '.claude/settings.local.json': '{}\n',
    'change.sh': 'sleep 2\necho b > other.env\necho \'{"env":{"A":"b"}}\' > .claude/settings.local.json\nsleep 3\n',
  },
  calls: [bash('sh change.sh')],
  texts: ['changed: for no one', 'config: not in a session'],
};
