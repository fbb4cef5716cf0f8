import type { Project } from './project.ts';

export const list = (...tasks: readonly string[]): Record<string, string> => ({
  'tasks.md': tasks.map(task => `- [ ] ${task}\n`).join(''),
});
export const tick = (task: string): string => `sed -i "s/- \\[ \\] ${task}$/- [x] ${task}/" tasks.md`;
export const gate = (command: string, more: object = {}): Record<string, string> => ({
  '.sauna/hooks.json': JSON.stringify({ hooks: [`echo "$HOOK_TASK_CONTENT" >> ~/asked; ${command}`], ...more }),
});
export const onDone: Record<string, string> = {
  '.iteratr.hooks.yml': 'hooks: { on_task_complete: [{ command: "echo {{task_content}} >> ~/completed" }] }\n',
};
export const statusOf = (project: Project, session = 's'): Record<string, string> =>
  Object.fromEntries(
    (JSON.parse(project.run(['task', 'list', '--session', session, '--json']).stdout) as Record<string, string>[]).map(
      ({ content, status }) => [content!, status!],
    ),
  );
export const shown = (project: Project, session = 's'): Record<string, string> =>
  Object.fromEntries(
    (JSON.parse(project.run(['show', session, '--json']).stdout).tasks as Record<string, string>[]).map(
      ({ content, status }) => [content!, status!],
    ),
  );

export const idOf = (content: string): string =>
  `$(~/hookloop task list --json | tr -d '\\n' | grep -o '"id": "[^"]*", *"content": "${content}"' | cut -d'"' -f4)`;

/** A hook that does tasks itself. */
export const posting = (status: string): Record<string, string> => ({
  'hookloop.yaml': `hooks:
  task.starting:
    - { type: shell, await: true, command: '~/hookloop task post "$TASK_ID" ${status} > ~/posted 2>&1; echo $? >> ~/posted' }
  task.completed:
    - { type: shell, await: true, command: 'cat >> ~/value' }
`,
});
