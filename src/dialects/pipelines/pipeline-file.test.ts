import { describe, expect, test } from 'vitest';
import { couldBeOurs, type PipelineFile, readPipelineFile } from './config.ts';

const fileOf = (text: string, scope: PipelineFile['scope'] = 'pipeline'): PipelineFile => ({
  file: `pipelines/x/${scope}.yaml`,
  path: `/p/pipelines/x/${scope}.yaml`,
  text,
  scope,
});
const problemsOf = (text: string) =>
  readPipelineFile(fileOf(text)).problems.map(({ severity, message, at }) => `${at.line}: ${severity}: ${message}`);

describe('a loop, stage or pipeline file', () => {
  test('gives the hooks of a loop the scope of its stage', () => {
    const { hooks, problems, looksLikeOurs } = readPipelineFile(
      fileOf(
        `name: work
description: Implementation stage

termination:
  type: queue

hooks:
  on_iteration_complete:
    - type: shell
      command: "./scripts/backup.sh"
`,
        'stage',
      ),
    );
    expect({ problems, looksLikeOurs }).toEqual({ problems: [], looksLikeOurs: true });
    expect(hooks).toMatchObject([
      {
        id: 'pipelines:pipelines/x/stage.yaml#on_iteration_complete[0]',
        event: 'iteration.completed',
        source: { scope: 'stage', line: 9 },
      },
    ]);
  });

  test('gives the hooks of a stage inside it the scope of that stage, and names of their own', () => {
    const { hooks, problems } = readPipelineFile(
      fileOf(`stages:
  - { name: plan, loop: plan }
  - name: work
    prompt: Do the work.
    hooks:
      on_stage_complete: [ { type: shell, command: npm test, name: unit tests } ]
      on_stage_complet: []
hooks:
  on_stage_complete: [ { type: shell, command: npm run lint } ]
`),
    );
    expect(hooks.map(({ id, name, source }) => [id, name, source.scope])).toEqual([
      ['pipelines:pipelines/x/pipeline.yaml#on_stage_complete[0]', 'npm run lint', 'pipeline'],
      ['pipelines:pipelines/x/pipeline.yaml#stages[1].on_stage_complete[0]', 'unit tests', 'stage'],
    ]);
    expect(problems).toMatchObject([{ severity: 'error', at: { line: 7 }, hint: 'did you mean on_stage_complete?' }]);
  });

  test('names the hooks of a stage by the list that holds it', () => {
    const { hooks } = readPipelineFile(
      fileOf(`stages:
  - { prompt: x }
nodes:
  - { prompt: y, hooks: { on_error: [ { type: shell, command: x } ] } }
`),
    );
    expect(hooks.map(({ id }) => id)).toEqual(['pipelines:pipelines/x/pipeline.yaml#nodes[0].on_error[0]']);
  });

  test('a key for anchors is no mistake for hooks', () => {
    const text = 'x-hooks: &shared { on_error: [ { type: shell, command: x } ] }\nprompt: x\nhooks: *shared\n';
    const { hooks } = readPipelineFile(fileOf(text));
    expect(hooks).toHaveLength(1);
    expect(problemsOf(text)).toEqual(['1: warning: unknown key "x-hooks"']);
  });

  test.each([
    'prompt: x\nhook: { on_error: [ { type: shell, command: x } ] }\n',
    'termination: { type: queue }\nhoks: {}\n',
    'stages:\n  - { prompt: x, Hook: {} }\n',
  ])('a key that seems to mean hooks is an error: %j', text => {
    expect(readPipelineFile(fileOf(text)).problems).toMatchObject([
      { severity: 'error', refuses: true, message: expect.stringMatching(/unknown key/), hint: 'did you mean hooks?' },
    ]);
  });

  test('gives the hooks of a pipeline its own scope', () => {
    const { hooks, problems } = readPipelineFile(
      fileOf(`name: full-workflow
description: Complete workflow with approvals

stages:
  - name: plan
    loop: improve-plan
  - name: work
    loop: work

hooks:
  on_stage_complete:
    - type: webhook
      url: "\${SLACK_WEBHOOK}"
      body: { text: "Stage \${STAGE} complete" }
      await: true
      when: "\${STAGE} == 'plan'"
`),
    );
    expect(problems).toEqual([]);
    expect(hooks).toMatchObject([{ event: 'stage.completed', source: { scope: 'pipeline' }, onFailure: 'abort' }]);
  });

  test('takes every setting of stages and nodes', () => {
    expect(
      problemsOf(`name: review
version: 2
inputs:
  - docs/plan.md
commands: { test: npm test }
pass_env: [CI]
nodes:
  - id: look
    stage: bug-discovery
    runs: 4
    perspectives: [security, speed]
    context: Look at the last commit
  - name: fix
    description: Fix what was found
    role: builder
    agent: codex
    max: 10
    delay: 1.5
    termination: { type: judgment, consensus: 2, min_iterations: 2, judge: { agent: claude } }
    inputs: { from: [look], select: all }
    prompt: |
      Fix it.
`),
    ).toEqual([]);
  });

  test('disable_global_hooks puts the hooks of the user out', () => {
    const { disables } = readPipelineFile(fileOf('termination: { type: queue }\ndisable_global_hooks: true\n'));
    expect(disables).toEqual([
      {
        dialects: ['native', 'pipelines'],
        scopes: ['user'],
        why: 'disable_global_hooks in pipelines/x/pipeline.yaml',
      },
    ]);
  });

  test('wrong types are errors and unknown keys warnings, each at its line', () => {
    expect(
      problemsOf(`name: [a]
termination:
  type: quue
  max: -1
delay: soon
role: tester
colour: red
disable_global_hooks: "yes"
stages:
  - name: a
  - loop: b
    runs: many
    inputs: { from: 5, select: newest }
  - c
`),
    ).toEqual([
      '1: error: expected a text, found a list',
      '3: error: "quue" is not one of fixed, queue, judgment',
      '4: error: -1 must be at least 0',
      '5: error: expected a duration, found the text "soon"',
      '6: error: "tester" is not one of planner, builder',
      '7: warning: unknown key "colour"',
      '8: error: expected true or false, found the text "yes"',
      '12: error: expected a whole number, found the text "many"',
      '13: error: expected a text or a list, found the number 5',
      '13: error: "newest" is not one of latest, all',
      '14: error: expected a map, found the text "c"',
      '10: error: a stage without work',
    ]);
  });

  test('only a broken gate and a file that cannot be parsed refuse', () => {
    const refusals = (text: string) => readPipelineFile(fileOf(text)).problems.map(problem => problem.refuses);
    expect(refusals('termination: { type: x }')).toEqual([false]);
    expect(refusals('hooks: { on_error: [ { type: shell } ] }')).toEqual([false]);
    expect(refusals('hooks: { on_error: [ { type: shell, on_failure: abort } ] }')).toEqual([true]);
    expect(refusals('hooks:\n  on_error: [')).toEqual([true]);
  });

  test.each([
    ['jobs of a build server', 'stages:\n  - stage: Build\n    jobs: []\n'],
    ['names of build stages', 'stages: [build, test]\nbuild:\n  script: make\n'],
    ['hooks of another program', 'repos: []\nhooks:\n  - id: lint\n'],
    ['another map', 'apiVersion: v1\nkind: Pipeline\n'],
    ['a list', '- a\n- b\n'],
    ['nothing', ''],
    ['broken YAML of another program', 'kind: [\n'],
  ])('a file with %s is not ours and has no problems', (_, text) => {
    expect(readPipelineFile(fileOf(text))).toEqual({ looksLikeOurs: false, hooks: [], problems: [] });
  });

  test.each([
    ['', true],
    ['# nothing yet\n', true],
    ['description: x\n', true],
    ['stages: []\n', true],
    ['prompt: x\nhooks: {}\n', true],
    ['stages: [build, test]\n', false],
    ['stages:\n  - stage: Build\n    jobs: []\n', false],
    ['hooks:\n  - id: lint\n', false],
    ['description: x\nimage: node\n', false],
    ['- a\n', false],
    ['text\n', false],
    ['prompt: [\n', false],
  ])('that %j could be ours is %s', (text, expected) => expect(couldBeOurs(text)).toBe(expected));
});
