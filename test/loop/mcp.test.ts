import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests } from './project.ts';

const bundled = await bundleForTests();
const agent = `acp:'${process.execPath}' '${root}/test/loop/mcp-agent.mjs'`;

test('the agent gets the tools over ACP, and hook output as a block of its own', () => {
  const project = bundled.project({
    '.sauna/hooks.json': '["test -n \\"$HOOK_TASK_ID\\" || exit 0; echo not good enough; test -e good"]',
    '.iteratr.hooks.yml': `
hooks:
  pre_iteration: [{ command: "echo before", pipe_output: true }]
  on_task_complete: [{ command: "echo {{task_content}} >> ~/completed" }]
`,
    'loop.yaml': `
name: lone
termination: { type: judgment, consensus: 1, max: 5 }
prompt: |
  use the tools
  task_add {"content":"write it"}
  task_done {"id":"T1"}
  record_score {"score":0.5,"target":1}
  task_done {"id":"T9"}
  finish {"decision":"stop","reason":"all well"}
hooks:
  on_iteration_complete: [{ type: shell, await: true, command: 'echo "$LAST_DECISION" >> ~/decisions' }]
`,
    'hookloop.yaml':
      'hooks: { score.recorded: [{ type: shell, await: true, command: "touch good; echo scored >> ~/scored" }] }\n',
  });
  const env = { RESULTS: project.pathOf('~/results.json') };
  const ran = project.run(['run', './loop.yaml', '--agent', agent, '--session', 's'], { env });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const { blocks, results } = JSON.parse(project.read('~/results.json'));
  expect(blocks).toEqual(['before\n', expect.stringMatching(/^use the tools\n/)]);
  expect(results[0]).toMatchObject({
    tools: expect.arrayContaining([
      'task_add',
      'task_list',
      'task_start',
      'task_done',
      'record_score',
      'request_approval',
      'finish',
    ]),
    isError: false,
    text: expect.stringContaining('T1'),
  });
  expect(results[1]).toMatchObject({ isError: true, text: expect.stringContaining('not good enough') });
  expect(results[3]).toMatchObject({ isError: true, text: expect.stringContaining('T9') });
  expect(results[4]).toMatchObject({ isError: false });
  expect([project.lines('~/scored'), project.lines('~/decisions')]).toEqual([['scored'], ['stop']]);
  expect(project.lines('~/completed')).toEqual([]);
  expect(JSON.parse(project.read('.hookloop/sessions/s/stage-00-lone/iterations/001/status.json'))).toEqual({
    decision: 'stop',
    reason: 'all well',
  });
});
