import { expect, test } from 'vitest';
import { bundleForTests } from './project.ts';

const bundled = await bundleForTests();

/** A pipeline that starts itself after its only iteration, and says how far it got and what became of its child. */
const nesting = (onFailure: string): string => `
name: again
agent: "command:echo \${HOOKLOOP_DEPTH:-0}"
stages:
  - { name: only, prompt: go on, termination: { type: fixed, iterations: 1 } }
hooks:
  on_iteration_complete:
    - { type: spawn, pipeline: again, on_failure: ${onFailure} }
    - { type: shell, await: true, command: 'echo "$HOOKLOOP_DEPTH $LAST_HOOK_STATUS" >> ~/seen' }
`;

test('child pipelines nest five deep: the sixth is refused, and its parents go on', () => {
  const project = bundled.project({ 'pipelines/again.yaml': nesting('continue') });
  const ran = project.run(['run', 'again', '--session', 's']);
  expect([ran.exit, ran.stderr]).toEqual([
    0,
    expect.stringMatching(/^.*failed: .*child pipelines nest at most 5 deep/m),
  ]);
  expect(project.lines('~/seen')).toEqual(['5 failed', '4 success', '3 success', '2 success', '1 success', ' success']);
  expect(ran.stderr).not.toMatch(/this is a bug|^ +at /m);
});

test('where the refused child aborts, so does every parent, up to the session', () => {
  const project = bundled.project({ 'pipelines/again.yaml': nesting('abort') });
  const ran = project.run(['run', 'again', '--session', 's']);
  expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('child pipelines nest at most 5 deep')]);
  expect(project.lines('~/seen')).toEqual([]);
  const [session] = JSON.parse(project.run(['runs', '--json']).stdout);
  const depths: string[] = [];
  const reasons: string[] = [];
  for (let at = session; at; at = at.children[0]) {
    depths.push(at.status);
    reasons.push(at.reason);
  }
  expect(depths).toEqual(Array(6).fill('failed'));
  expect(reasons).toEqual(Array(6).fill(expect.stringContaining('child pipelines nest at most 5 deep')));
  expect(reasons[0]).toBe(reasons[4]);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    / Reason: hook "spawn again" .* child pipelines nest at most 5 deep/,
  );
});

test('an event that the agent of the fifth child causes elsewhere starts no sixth', () => {
  const project = bundled.project({
    'hookloop.yaml': 'hooks:\n  stage.starting:\n    - { type: spawn, pipeline: leaf }\n',
    'pipelines/leaf.yaml': 'agent: "command:echo $HOOKLOOP_DEPTH"\nprompt: go on\n',
  });
  const at = (depth: string) =>
    JSON.parse(project.run(['dispatch', 'stage.starting'], { env: { HOOKLOOP_DEPTH: depth } }).stdout);
  expect(at('4').results).toMatchObject([{ outcome: { kind: 'child-finished', output: '5' } }]);
  expect(at('5').results).toMatchObject([
    { outcome: { kind: 'not-started', reason: expect.stringContaining('nest at most 5 deep') } },
  ]);
});
