import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pipelineFolders } from '../../hooks/discovery/find-files.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import { resolvePipeline } from './resolve.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookloop-resolve-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const resolve = (name: string, options: { from?: string; cwd?: string } = {}) => {
  const places = { root, repo: root, cwd: join(root, options.cwd ?? '.'), home: root, config: join(root, '.config') };
  return resolvePipeline(name, { places, ...(options.from && { from: join(root, options.from) }) });
};
const fileOf = (...given: Parameters<typeof resolve>): string | undefined => {
  const resolved = resolve(...given);
  return resolved.kind === 'plan' ? resolved.plan.file : resolved.kind;
};
const stagesOf = (text: string): readonly StagePlan[] => {
  write('p.yaml', text);
  const resolved = resolve('p.yaml');
  if (resolved.kind !== 'plan') throw new Error(JSON.stringify(resolved));
  return resolved.plan.stages;
};
const loop = 'prompt: Do the work.\n';

describe('hooks of a stage', () => {
  test('are those of its loop, then those of its entry', () => {
    write('loops/work.yaml', `${loop}hooks: { on_stage_complete: [ { type: shell, command: one } ] }\n`);
    const [plan, work] = stagesOf(`stages:
  - { name: plan, prompt: Make a plan. }
  - name: work
    loop: work
    disable_global_hooks: true
    hooks: { on_stage_complete: [ { type: shell, command: two } ] }
`);
    expect(plan).toMatchObject({ hooks: [], disableGlobalHooks: false });
    expect(work!.hooks.map(({ name, source }) => [name, source.scope])).toEqual([
      ['one', 'stage'],
      ['two', 'stage'],
    ]);
    expect(work).toMatchObject({ disableGlobalHooks: true });
  });

  test.each(['hooks: { on_erro: [ { on_failure: abort } ] }', 'hook: { on_error: [ { type: shell, command: x } ] }'])(
    'that cannot be understood keep the pipeline from running: %s',
    line => {
      write('p.yaml', `stages:\n  - prompt: Do the work.\n    ${line}\n`);
      write('l.yaml', `${loop}${line}\n`);
      expect(resolve('p.yaml').kind).toBe('bad');
      expect(resolve('l.yaml').kind).toBe('bad');
    },
  );
});

describe('where a pipeline is found', () => {
  const inOrder = pipelineFolders.flatMap(folder =>
    ['x.yaml', 'x.yml', 'x/pipeline.yaml', 'x/loop.yaml', 'x/stage.yaml'].map(name => `${folder}/${name}`),
  );

  test('by name in every place, the nearest first', () => {
    for (const path of inOrder) write(path, loop);
    for (const path of inOrder) {
      expect(fileOf('x')).toBe(path);
      rmSync(join(root, path));
    }
    expect(fileOf('x')).toBe('not-found');
  });

  test('by path before any place, relative to the folder it is started in and then to the root', () => {
    for (const path of ['sub/a.yaml', 'a.yaml', 'pipelines/a.yaml']) write(path, loop);
    expect(fileOf('a.yaml', { cwd: 'sub' })).toBe('sub/a.yaml');
    expect(fileOf('a.yaml')).toBe('a.yaml');
    expect(fileOf('pipelines/a.yaml', { cwd: 'sub' })).toBe('pipelines/a.yaml');
    expect(fileOf(join(root, 'sub/a.yaml'))).toBe('sub/a.yaml');
    expect(fileOf('../a.yaml', { cwd: 'sub' })).toBe('a.yaml');
  });

  test('by path relative to the file that names it', () => {
    write('deep/flows/a.yaml', loop);
    write('a.yaml', loop);
    expect(fileOf('./a.yaml', { from: 'deep/flows/main.yaml' })).toBe('deep/flows/a.yaml');
    expect(fileOf('../flows/a.yaml', { from: 'deep/flows/main.yaml' })).toBe('deep/flows/a.yaml');
    expect(fileOf('a.yaml', { from: 'other/main.yaml' })).toBe('a.yaml');
  });

  test('a folder stands for the file in it', () => {
    write('flows/nightly/loop.yaml', loop);
    expect(fileOf('flows/nightly')).toBe('flows/nightly/loop.yaml');
    expect(fileOf('nightly', { cwd: 'flows' })).toBe('flows/nightly/loop.yaml');
  });

  test('a program or a folder that is called like a pipeline is not taken for it', () => {
    write('release', '#!/bin/sh\nexit 1\n');
    mkdirSync(join(root, 'nightly'));
    for (const name of ['release', 'nightly']) write(`pipelines/${name}.yaml`, loop);
    expect([fileOf('release'), fileOf('nightly')]).toEqual(['pipelines/release.yaml', 'pipelines/nightly.yaml']);
    write('mine', loop);
    expect(fileOf('./mine')).toBe('mine');
  });

  test('a name that climbs out of its folder is looked for as a path only', () => {
    write('x.yaml', loop);
    expect(resolve('../../x')).toMatchObject({ kind: 'not-found', tried: [expect.not.stringContaining('pipelines')] });
  });

  test.each(['..', '.git', '-rf', 'a'.repeat(300), 'a\0b', '', '/', '.'])(
    '%j is not found, and nothing breaks',
    name => {
      expect(fileOf(name)).toBe('not-found');
    },
  );

  test('what is not found is told with the places and the nearest name', () => {
    write('loops/improve-plan/loop.yaml', loop);
    expect(resolve('improve-pln')).toEqual({
      kind: 'not-found',
      name: 'improve-pln',
      tried: ['improve-pln', ...pipelineFolders],
      hint: 'did you mean improve-plan?',
    });
  });

  test('a file that cannot be read is bad, not missing', () => {
    write('pipelines/a.yaml', 'prompt: a\0b');
    symlinkSync('loop.yaml', join(root, 'loop.yaml'));
    expect(resolve('a')).toMatchObject({
      kind: 'bad',
      problems: [{ refuses: true, at: { file: 'pipelines/a.yaml' } }],
    });
    expect(fileOf('loop.yaml')).toBe('not-found');
  });
});

describe('when a stage ends', () => {
  const cases: [string, StagePlan['termination']][] = [
    ['{}', { type: 'fixed', iterations: 1 }],
    ['{ runs: 4 }', { type: 'fixed', iterations: 4 }],
    ['{ max: 6 }', { type: 'fixed', iterations: 6 }],
    ['{ perspectives: [a, b, c] }', { type: 'fixed', iterations: 3 }],
    ['{ perspectives: [a, b, c], runs: 2 }', { type: 'fixed', iterations: 2 }],
    ['{ termination: { type: fixed, iterations: 3 } }', { type: 'fixed', iterations: 3 }],
    ['{ termination: { type: fixed, max: 5 } }', { type: 'fixed', iterations: 5 }],
    ['{ termination: { type: fixed, iterations: 3 }, runs: 8 }', { type: 'fixed', iterations: 8 }],
    ['{ termination: { type: queue } }', { type: 'queue', max: 25 }],
    ['{ termination: { type: queue, max: 3 }, max: 9 }', { type: 'queue', max: 9 }],
    ['{ termination: { type: queue }, runs: 7, max: 5 }', { type: 'queue', max: 5 }],
    ['{ termination: { type: judgment } }', { type: 'judgment', max: 25, minIterations: 1, consensus: 2 }],
    [
      '{ termination: { type: judgment, max: 9, min_iterations: 4, consensus: 3, judge: codex }, runs: 12 }',
      { type: 'judgment', max: 12, minIterations: 4, consensus: 3, judge: 'codex' },
    ],
    [
      '{ termination: { type: judgment, judge: true }, agent: claude }',
      { type: 'judgment', max: 25, minIterations: 1, consensus: 2, judge: 'claude' },
    ],
    [
      '{ termination: { type: judgment, judge: false, min_iterations: 0 } }',
      { type: 'judgment', max: 25, minIterations: 1, consensus: 2 },
    ],
  ];
  test.each(cases)('%s', (settings, termination) => {
    const entry = settings === '{}' ? '{ prompt: Do it. }' : settings.replace('{', '{ prompt: Do it., ');
    expect(stagesOf(`stages:\n  - ${entry}\n`)[0]!.termination).toEqual(termination);
  });

  test('an entry has precedence over its loop, in numbers and in the whole rule', () => {
    write('loops/l.yaml', `${loop}termination: { type: judgment, consensus: 4, max: 10 }\n`);
    const entries = ['', ', runs: 3', ', max: 30', ', termination: { type: queue }'];
    const stages = stagesOf(
      `stages:\n${entries.map((entry, index) => `  - { name: s${index}, loop: l${entry} }\n`).join('')}`,
    );
    expect(stages.map(({ termination }) => termination)).toEqual([
      { type: 'judgment', max: 10, minIterations: 1, consensus: 4 },
      { type: 'judgment', max: 3, minIterations: 1, consensus: 4 },
      { type: 'judgment', max: 30, minIterations: 1, consensus: 4 },
      { type: 'queue', max: 25 },
    ]);
  });
});

test('a stage is a planner by its role, or by its name where it has none', () => {
  write('loops/planner.yaml', `${loop}role: planner\n`);
  const stages = stagesOf(`stages:
  - { name: plan, prompt: Do it. }
  - { name: planning, prompt: Do it. }
  - { id: first, name: plan, prompt: Do it. }
  - { name: plan-2, prompt: Do it. }
  - { name: work, loop: planner }
  - { name: work-2, loop: planner, role: builder }
  - { name: p3, prompt: Do it., role: planner }
`);
  expect(stages.map(({ role }) => role)).toEqual([
    ...['planner', 'planner', 'planner', 'builder', 'planner', 'builder', 'planner'],
  ]);
  write('plan.yaml', `${loop}role: builder\n`);
  expect(resolve('plan.yaml')).toMatchObject({ plan: { stages: [{ id: 'plan', role: 'builder' }] } });
});

describe('the prompt of a loop', () => {
  const promptOf = (settings: string): string | undefined => {
    write('loops/l/loop.yaml', `description: x\n${settings}`);
    const resolved = resolve('l');
    return resolved.kind === 'plan' ? resolved.plan.stages[0]!.prompt : undefined;
  };

  test('is a file beside it, with or without .md, then one in prompts/', () => {
    for (const name of ['say', 'say.md', 'prompts/say', 'prompts/say.md']) write(`loops/l/${name}`, `text of ${name}`);
    for (const name of ['say', 'say.md', 'prompts/say', 'prompts/say.md']) {
      expect(promptOf('prompt: say')).toBe(`text of ${name}`);
      rmSync(join(root, 'loops/l', name));
    }
    expect(promptOf('prompt: say')).toBeUndefined();
    write('loops/l/prompts/say.md', 'again');
    expect([promptOf('prompt: say.md'), promptOf('prompt: prompts/say.md'), promptOf('prompt: |\n  say\n')]).toEqual([
      ...['again', 'again', 'again'],
    ]);
  });

  test('is the text itself where it has white space', () => {
    write('loops/l/say it', 'a file');
    expect(promptOf('prompt: say it')).toBe('say it');
    expect(promptOf('prompt: |\n  one\n  two\n')).toBe('one\ntwo\n');
  });

  test('is prompt.md, then prompts/prompt.md, where none is named', () => {
    write('loops/l/prompts/prompt.md', 'second');
    expect(promptOf('')).toBe('second');
    write('loops/l/prompt.md', 'first');
    expect(promptOf('')).toBe('first');
  });

  test('gets the context at its end unless it says where', () => {
    expect(promptOf('prompt: Do it.\ncontext: Mind $& the door.')).toBe('Do it.\n\nMind $& the door.\n');
    expect(promptOf('prompt: "Do it. ${CONTEXT} Now."\ncontext: Mind it.')).toBe('Do it. Mind it. Now.');
    expect(promptOf('prompt: "Do it.${CONTEXT}"')).toBe('Do it.');
  });
});
