import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, type Project } from './project.ts';

const bundled = await bundleForTests();

/** Does what its prompt says, over ACP. */
const fixture = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs'`;

const run = (project: Project, prompt: string, ...args: readonly string[]) =>
  project.run(['run', '--agent', fixture, '--max-iterations', '1', '--prompt', prompt, ...args]);

const notes = (...events: readonly string[]): Record<string, string> => ({
  'hookloop.yaml': `version: 1\nhooks:\n${events.map(event => `  ${event}: [{ shell: 'cat >> ~/told; echo >> ~/told' }]\n`).join('')}`,
});

const told = (project: Project) =>
  project
    .lines('~/told')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);

test('a compaction that an agent tells of over its protocol is told to hooks, its beginning and its end once', () => {
  const project = bundled.project(notes('context.compacting', 'context.compacted'));
  const ran = run(project, 'compact All was well\nshell touch made');
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(told(project)).toMatchObject([
    { event: 'context.compacting' },
    { event: 'context.compacted', summary: 'All was well.' },
  ]);
});

test('a call that no one permits is told to hooks with the reason, and one that a hook refuses by itself is not', () => {
  const project = bundled.project(notes('permission.denied'));
  const ran = run(project, 'shell touch made', '--permissions', 'ask');
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(told(project)).toMatchObject([
    { event: 'permission.denied', tool: 'Bash', reason: expect.stringContaining('--permissions ask') },
  ]);
  const refusing = bundled.project(notes('permission.denied'));
  const { 'hookloop.yaml': file = '' } = notes('permission.denied');
  refusing.write('hookloop.yaml', `${file}  tool.calling: [{ deny: not here }]\n`);
  expect(run(refusing, 'shell touch made').exit).toBe(0);
  expect(told(refusing)).toEqual([]);
});
