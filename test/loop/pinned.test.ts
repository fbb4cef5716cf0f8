import { expect, test } from 'vitest';
import { bundleForTests, diary } from './project.ts';

const bundled = await bundleForTests();

/** In its first turn the agent makes the script pass. */
const lifted = (files: Readonly<Record<string, string>>) =>
  bundled.project({
    ...diary({ 1: 'echo exit 0 > check.sh; sed -i "0,/\\[ \\]/s//[x]/" tasks.md' }),
    'check.sh': 'exit 1\n',
    'tasks.md': '- [ ] only\n',
    ...files,
  });

test.each(['iteration.completed', 'stage.completed', 'task.completed'])(
  'the script of a hook that ends the session at %s counts as it was when the session began',
  event => {
    const project = lifted({
      'hookloop.yaml': `hooks: { ${event}: [{ type: shell, await: true, on_failure: abort, command: sh check.sh }] }\n`,
    });
    const ran = project.talk(['--tasks', 'tasks.md']);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('check.sh has changed since this session')]);
    expect(project.heard()).toHaveLength(1);
  },
);

test.each(['Stop', 'PostToolUse'])(
  'the agent is not sent back to work by a %s hook whose script has changed: the session ends',
  event => {
    const project = lifted({
      '.claude/settings.json': JSON.stringify({
        hooks: { [event]: [{ hooks: [{ type: 'command', command: 'sh check.sh' }] }] },
      }),
      'check.sh': 'exit 2\n',
      'lift.sh': 'echo exit 0 > check.sh\n',
      'script.yaml': 'repeat: true\nturns: [{ text: x, tools: [{ name: Bash, input: { command: sh lift.sh } }] }]\n',
    });
    const ran = project.run(['run', '--agent', 'scripted:script.yaml', '--prompt', 'go', '--session', 's']);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('check.sh has changed since this session')]);
    const turns = project.journal('s').filter(entry => entry.kind === 'event' && entry.event.name === 'turn.ending');
    expect(turns.length).toBeLessThan(2);
    expect(project.run(['resume', 's'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--accept-changes'),
    });
  },
);
