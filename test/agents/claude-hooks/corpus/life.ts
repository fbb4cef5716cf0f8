import { bash, type HookFile, line, says, script } from '../hook-file.ts';

const agent = {
  name: 'Agent',
  args: { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: false },
};

/** What happens to the agent itself. */
export const life = {
  subagents: {
    name: 'a subagent is told the rules, and may not end without a summary',
    hooks: {
      SubagentStart: [{ hooks: [line(says('SubagentStart', { additionalContext: 'subagent: read only' }))] }],
      SubagentStop: [{ matcher: 'general-purpose', hooks: [script('summary.sh')] }],
    },
    files: {
      '.claude/hooks/summary.sh':
        '#!/bin/bash\ngrep -q \'"last_assistant_message":"[^"]*SUMMARY\' && exit 0\necho "subagent: write a SUMMARY" >&2\nexit 2\n',
    },
    calls: [agent],
    texts: ['subagent: read only', 'subagent: write a SUMMARY'],
  },
  otherSubagents: {
    name: 'hooks for other subagents stay silent',
    hooks: {
      SubagentStart: [
        { matcher: 'Explore', hooks: [line(says('SubagentStart', { additionalContext: 'subagent: explorers only' }))] },
      ],
      SubagentStop: [{ matcher: 'Explore', hooks: [line('echo "subagent: never" >&2; exit 2')] }],
    },
    texts: ['subagent: explorers only', 'subagent: never'],
  },
  folders: {
    name: 'a change of the folder is heard',
    hooks: {
      CwdChanged: [{ hooks: [line('cat > /dev/null; echo "folder: for no one"')] }],
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `cat > /dev/null; case "$PWD" in */inner) ${says('PreToolUse', { additionalContext: 'folder: where the agent is' })} ;; esac`,
            ),
          ],
        },
      ],
    },
    calls: [bash('mkdir -p inner && cd inner'), bash('cd ..')],
    texts: ['folder: for no one', 'folder: where the agent is'],
  },
  saver: {
    name: 'the conversation is saved before it is compacted',
    hooks: {
      PreCompact: [{ matcher: 'manual', hooks: [line('cat > "$CLAUDE_PROJECT_DIR"/saved.json')] }],
      PostCompact: [{ hooks: [line('cat > /dev/null; echo "compacted: for no one"')] }],
      SessionStart: [{ matcher: 'compact', hooks: [line('echo "context: what matters after compaction"')] }],
    },
    texts: ['compacted: for no one', 'context: what matters after compaction'],
  },
  keeper: {
    name: 'compaction is refused',
    hooks: { PreCompact: [{ hooks: [line('echo "compaction: not now" >&2; exit 2')] }] },
    texts: ['compaction: not now'],
  },
  tasks: {
    name: 'a task is done when its check passes',
    hooks: { TaskCompleted: [{ hooks: [script('task.sh')] }] },
    files: {
      '.claude/hooks/task.sh':
        '#!/bin/sh\ncat > /dev/null\ntest -e "$CLAUDE_PROJECT_DIR"/checked && exit 0\necho "task: not checked yet" >&2\nexit 2\n',
    },
    calls: [
      { name: 'TaskCreate', args: { subject: 'the task', description: 'all of it' } },
      { name: 'TaskUpdate', args: { taskId: '1', status: 'completed' } },
      bash('touch checked'),
      { name: 'TaskUpdate', args: { taskId: '1', status: 'completed' } },
    ],
    texts: ['task: not checked yet'],
  },
  permissions: {
    name: 'permissions are given and refused',
    hooks: {
      PermissionRequest: [
        {
          matcher: 'Bash',
          hooks: [
            line(
              `input=$(cat); case "$input" in *"changed.txt"*) ${says('PermissionRequest', { decision: { behavior: 'allow', updatedInput: { command: 'echo permitted', description: 'permitted' } } })} ;; *"permitted.txt"*) ${says('PermissionRequest', { decision: { behavior: 'allow' } })} ;; *) ${says('PermissionRequest', { decision: { behavior: 'deny', message: 'permission: denied by the house' } })} ;; esac`,
            ),
          ],
        },
      ],
    },
    calls: [
      bash(`python3 -c 'open("permitted.txt","w")'`),
      bash(`python3 -c 'open("forbidden.txt","w")'`),
      bash(`python3 -c 'open("changed.txt","w")'`),
    ],
    texts: ['permission: denied by the house'],
  },
  failure: {
    name: 'a failed turn is reported',
    hooks: { StopFailure: [{ hooks: [line('cat > /dev/null; echo "failure: for no one"')] }] },
    texts: ['failure: for no one'],
  },
  ends: {
    name: 'the end of a session is logged',
    hooks: {
      SessionEnd: [
        { matcher: 'other', hooks: [line('cat >> "$CLAUDE_PROJECT_DIR"/ends.log; echo "ending: for no one"')] },
      ],
    },
    texts: ['ending: for no one'],
  },
  notifier: {
    name: 'the desk bell',
    hooks: {
      Notification: [
        { matcher: 'permission_prompt|idle_prompt', hooks: [line('cat >> "$CLAUDE_PROJECT_DIR"/bell.log')] },
      ],
    },
    texts: [],
  },
  config: {
    name: 'settings are not changed during a session',
    hooks: {
      ConfigChange: [
        { matcher: 'project_settings', hooks: [line('cat > /dev/null; echo "config: not now" >&2; exit 2')] },
      ],
    },
    texts: ['config: not now'],
  },
  watched: {
    name: 'a watched file is reported',
    hooks: { FileChanged: [{ matcher: '.envrc', hooks: [line('cat > /dev/null; echo "watched: for no one"')] }] },
    files: { '.envrc': 'a\n' },
    texts: ['watched: for no one'],
  },
} as const satisfies Record<string, HookFile>;
