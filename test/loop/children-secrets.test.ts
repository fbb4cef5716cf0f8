import { expect, test } from 'vitest';
import { child, parent } from './children.ts';
import { bundleForTests } from './project.ts';

const bundled = await bundleForTests();

test('a child has neither the secrets of its parent nor its inputs in its environment, but what pass_env names', () => {
  const project = bundled.project({
    ...parent('pipeline: review, pass_env: [PASSED], inputs: { BASH_ENV: evil, told: "${ONLY_BY_INPUT}" }'),
    'pipelines/review.yaml': child(`pass_env: [PASSED_TOO, HOOKLOOP_SESSION]
hooks:
  on_iteration_complete:
    - { type: shell, command: "env > ~/hook-env", await: true }
`),
  });
  const secrets = {
    GITHUB_TOKEN: 'ghp_parent_only',
    AWS_SECRET_ACCESS_KEY: 'aws_parent_only',
    ANTHROPIC_API_KEY: 'sk-parent-only',
    SLACK_WEBHOOK: 'https://hooks.example/parent-only',
    ONLY_BY_INPUT: 'by-input-only',
    NODE_OPTIONS: '--no-warnings',
  };
  const ran = project.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work'], {
    env: {
      ...secrets,
      PASSED: 'one',
      PASSED_TOO: 'two',
      LC_TIME: 'C',
      XDG_DATA_HOME: '/data',
      https_proxy: 'http://p',
    },
  });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  for (const file of ['~/child-env', '~/hook-env']) {
    const env = project.read(file);
    expect(env).not.toMatch(/parent.only|by-input-only|BASH_ENV|NODE_OPTIONS/);
    for (const line of ['PASSED=one', 'PASSED_TOO=two', 'LC_TIME=C', 'XDG_DATA_HOME=/data', 'https_proxy=http://p'])
      expect(env.split('\n')).toContain(line);
    expect(env).toContain('HOOKLOOP_SESSION=iteration.completed-1\n');
  }
  expect(project.read('~/child-env')).toMatch(/^SPAWN_OUTPUT_FILE=.*\/iteration\.completed-1\/output\.json$/m);
  const folder = '.hookloop/sessions/s/children/iteration.completed-1';
  expect(JSON.parse(project.read(`${folder}/inputs.json`))).toEqual({ BASH_ENV: 'evil', told: 'by-input-only' });
});

test('of a known agent, its process alone gets the variables it signs in with', () => {
  const project = bundled.project({
    ...parent('pipeline: review'),
    'pipelines/review.yaml': `
agent: qwen
prompt: review it
hooks:
  on_session_start:
    - { type: shell, command: "env > ~/hook-env", await: true }
`,
  });
  project.write('node_modules/.bin/qwen', '#!/bin/sh\nenv > ~/agent-env\nexit 1\n', 0o755);
  project.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work'], {
    env: { OPENAI_API_KEY: 'sk-of-qwen', ANTHROPIC_API_KEY: 'sk-of-claude' },
  });
  expect(project.read('~/agent-env')).toContain('OPENAI_API_KEY=sk-of-qwen\n');
  expect(project.read('~/agent-env')).not.toContain('sk-of-claude');
  expect(project.read('~/hook-env')).not.toContain('sk-of-qwen');
  expect(project.lines('~/seen')[0]).toMatch(/^failed: /);
});
