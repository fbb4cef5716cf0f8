import { expect, test } from 'vitest';
import { bundleForTests, diary } from './loop/project.ts';

const bundled = await bundleForTests();

/** Warnings of two foreign formats: a key that no one knows, and a script that cannot be started. */
const warned = () => {
  const project = bundled.project({
    ...diary(),
    '.iteratr.hooks.yml': 'hooks:\n  pre_iteration:\n    - { command: "true", timout: 5 }\n',
    '.a5c/hooks/PreToolUse/gate.sh': '#!/bin/sh\nexit 0\n',
  });
  const count = (text: string): number[] => ['timout', 'chmod'].map(word => text.split(word).length - 1);
  return { project, count };
};

test.each([[['check']], [['list']], [['doctor']]])('hookloop %j tells the warnings of foreign files', args => {
  const { project, count } = warned();
  const ran = project.run(args);
  expect(Math.min(...count(ran.stdout + ran.stderr)), ran.stdout + ran.stderr).toBeGreaterThan(0);
});

test('run tells each of them once in a session, however many events there are', () => {
  const { project, count } = warned();
  const ran = project.talk(['--prompt', 'go', '--max-iterations', '3']);
  const warnings = ran.stderr.split('\n').filter(line => line.includes('warning'));
  expect([ran.exit, count(warnings.join('\n'))[0], warnings.length]).toEqual([0, 1, 2]);
});

test('dispatch and agents’ own hooks never do', () => {
  const { project, count } = warned();
  project.run(['trust', '--yes']);
  const call = JSON.stringify({
    session_id: 's',
    cwd: project.project,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  });
  // What a result says of a hook that did not run is no warning.
  for (const ran of [
    project.run(['dispatch', 'iteration.starting']),
    project.run(['dispatch', 'PreToolUse']),
    project.run(['hook', 'claude', 'PreToolUse'], { input: call }),
  ])
    expect([count(ran.stderr), ran.exit]).toEqual([[0, 0], 0]);
});
