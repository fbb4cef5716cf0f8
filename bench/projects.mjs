import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const times = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join('');
const pipelineHook = at => `    - { type: shell, command: "true # ${at}", await: true }\n`;

/** How each dialect writes `count` hooks that do nothing, and the event that fires them. */
export const dialectProjects = {
  native: {
    event: 'iteration.starting',
    files: count => ({ 'hookloop.yaml': `hooks:\n  iteration.starting:\n${times(count, pipelineHook)}` }),
  },
  sauna: {
    event: 'task.completing',
    files: count => ({ '.sauna/hooks.json': JSON.stringify(Array.from({ length: count }, (_, at) => `true # ${at}`)) }),
  },
  iteratr: {
    event: 'pre_iteration',
    files: count => ({
      '.iteratr.hooks.yml': `hooks:\n  pre_iteration:\n${times(count, at => `    - command: "true # ${at}"\n`)}`,
    }),
  },
  nyzhi: {
    event: 'after_turn',
    files: count => ({
      '.nyzhi/config.toml': times(count, at => `[[agent.hooks]]\nevent = "after_turn"\ncommand = "true # ${at}"\n`),
    }),
  },
  babysitter: {
    event: 'on-iteration-start',
    files: count =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `.a5c/hooks/on-iteration-start/${String(at).padStart(2, '0')}.sh`,
          '#!/bin/sh\ntrue\n',
        ]),
      ),
  },
  claude: {
    event: 'Stop',
    files: count => {
      const hooks = Array.from({ length: count }, (_, at) => ({ type: 'command', command: `true # ${at}` }));
      return { '.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks }] } }) };
    },
  },
  pipelines: {
    event: 'on_iteration_start',
    files: count => ({
      '~/.config/agent-pipelines/hooks.yaml': `hooks:\n  on_iteration_start:\n${times(count, pipelineHook)}`,
    }),
  },
};

export const lefthookFiles = count => ({
  'lefthook.yml': `bench:\n  jobs:\n${times(count, at => `    - name: job-${at}\n      run: "true"\n`)}`,
});

/** Writes files below a folder; `~/` stands for its home. Scripts are executable. */
export function writeProject(folder, files) {
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const made of [join(project, '.git'), home]) mkdirSync(made, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith('.sh')) chmodSync(file, 0o755);
  }
  return { project, home };
}
