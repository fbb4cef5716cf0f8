import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PipelinePlan, StagePlan } from '../model/pipeline.ts';
import { writeAtomically } from '../platform/files.ts';
import { createSessionFolder, furnishSessionFolder } from './file-store/folder.ts';
import { buildContext, maxPreviousOutputs, readInputs, stageOutputs, writeInputs } from './inputs.ts';
import { beginIteration, finishIteration, readStatus, writeStatus } from './iteration-files.ts';
import { iterationPaths, type SessionFiles, sessionFiles } from './paths.ts';

let root: string;
let paths: SessionFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookloop-iteration-'));
  paths = sessionFiles(root, 'night');
  createSessionFolder(paths);
  furnishSessionFolder(paths);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const stageOf = (id: string, index: number, inputs: StagePlan['inputs'] = []): StagePlan => ({
  ...{ id, index, template: `${id}-loop`, role: 'builder', prompt: '', termination: { type: 'queue', max: 25 } },
  ...{ delayMs: 0, inputs, perspectives: [], hooks: [], disableGlobalHooks: false, passEnv: [] },
});
const look = stageOf('look', 0);
const fix = stageOf('fix', 1, [{ from: 'look', select: 'latest' }]);
const sum = stageOf('sum', 2, [
  { from: 'look', select: 'all' },
  { from: 'fix', select: 'all' },
]);
const plan: PipelinePlan = {
  ...{ name: 'review', stages: [look, fix, sum], hooks: [], disableGlobalHooks: false, passEnv: [] },
};
const contextOf = (stage: StagePlan, iteration: number, values: Readonly<Record<string, unknown>> = {}) =>
  buildContext({ paths, plan, stage, iteration, maxIterations: 25, values });
const begin = (stage: StagePlan, iteration: number, more: { goesOn?: boolean } = {}) =>
  beginIteration(paths, stage, iteration, { prompt: `do ${iteration}`, context: contextOf(stage, iteration), ...more });
const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('an iteration', () => {
  test('has its prompt and context, and current/ follows it', () => {
    for (const iteration of [1, 2]) {
      const own = begin(look, iteration);
      expect(readFileSync(own.prompt, 'utf8')).toBe(`do ${iteration}`);
      expect(json(own.context)).toEqual(contextOf(look, iteration));
      expect(json(paths.current.context)).toEqual(contextOf(look, iteration));
    }
    expect(json(iterationPaths(paths, look, 1).context)).toMatchObject({ iteration: 1 });
  });

  test('keeps the decision and the output; the next one does not see them', async () => {
    const own = begin(look, 1);
    writeFileSync(paths.current.status, '{"decision":"stop","reason":"all done"}');
    const status = await finishIteration(paths, look, 1, 'I am done');
    expect(status).toEqual({ decision: 'stop', reason: 'all done' });
    expect(readFileSync(own.status, 'utf8')).toBe('{"decision":"stop","reason":"all done"}');
    expect(readFileSync(own.output, 'utf8')).toBe('I am done');
    begin(look, 2);
    expect(existsSync(paths.current.status)).toBe(false);
    expect(await finishIteration(paths, look, 2, '')).toEqual({ decision: 'continue' });
    expect(existsSync(iterationPaths(paths, look, 2).status)).toBe(false);
  });

  test('keeps the output that the agent wrote itself', async () => {
    const own = begin(look, 1);
    writeFileSync(own.output, 'my report');
    await finishIteration(paths, look, 1, 'I wrote a report');
    expect(readFileSync(own.output, 'utf8')).toBe('my report');
  });

  test('begun again starts clean, unless the conversation goes on', () => {
    const own = begin(look, 1);
    const leave = (): void => {
      writeStatus(paths.current.status, { decision: 'stop' });
      writeFileSync(own.output, 'half');
    };
    leave();
    begin(look, 1, { goesOn: true });
    expect([existsSync(paths.current.status), existsSync(own.output)]).toEqual([true, true]);
    begin(look, 1);
    expect([existsSync(paths.current.status), existsSync(own.output)]).toEqual([false, false]);
  });

  test('survives an agent that puts a folder or a link where its status belongs', async () => {
    begin(look, 1);
    mkdirSync(join(paths.current.status, 'x'), { recursive: true });
    expect(await finishIteration(paths, look, 1, '')).toMatchObject({
      decision: 'error',
      reason: expect.stringMatching(/folder/),
    });
    const precious = join(root, 'precious');
    writeFileSync(precious, 'keep');
    begin(look, 2);
    symlinkSync(precious, paths.current.status);
    begin(look, 3);
    symlinkSync(precious, iterationPaths(paths, look, 3).prompt.replace('prompt.md', 'status.json'));
    writeStatus(paths.current.status, { decision: 'continue' });
    await finishIteration(paths, look, 3, '');
    expect(readFileSync(precious, 'utf8')).toBe('keep');
  });

  test('leaves no temporary files', async () => {
    begin(look, 1);
    await finishIteration(paths, look, 1, 'x');
    const names = readdirSync(paths.folder, { recursive: true, encoding: 'utf8' });
    expect(names.filter(name => name.includes('tmp'))).toEqual([]);
  });
});

test('a file that cannot be replaced leaves the old one and nothing else', () => {
  const folder = join(root, 'target');
  mkdirSync(join(folder, 'inside'), { recursive: true });
  expect(() => writeAtomically(folder, 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(root).filter(name => name.startsWith('target'))).toEqual(['target']);
});

describe('context.json', () => {
  test('has the fields of the contract', () => {
    expect(contextOf(look, 1)).toEqual({
      session: 'night',
      pipeline: 'review',
      stage: { id: 'look', index: 0, template: 'look-loop' },
      iteration: 1,
      paths: {
        session_dir: paths.folder,
        stage_dir: join(paths.folder, 'stage-00-look'),
        progress: paths.progress,
        output: join(paths.folder, 'stage-00-look/iterations/001/output.md'),
        status: paths.current.status,
      },
      inputs: { from_stage: {}, from_previous_iterations: [] },
      limits: { max_iterations: 25, remaining_seconds: null },
    });
    expect(contextOf(look, 1, { a: 1 }).inputs.values).toEqual({ a: 1 });
  });

  test('names outputs of earlier stages, the latest or all, and of earlier iterations', async () => {
    for (const iteration of [1, 2]) {
      begin(look, iteration);
      await finishIteration(paths, look, iteration, 'x');
    }
    begin(look, 3);
    const outputs = [1, 2].map(iteration => iterationPaths(paths, look, iteration).output);
    expect(contextOf(look, 3).inputs.from_previous_iterations).toEqual(outputs);
    expect(contextOf(fix, 1).inputs.from_stage).toEqual({ look: outputs.slice(1) });
    expect(contextOf(sum, 1).inputs.from_stage).toEqual({ look: outputs, fix: [] });
  });

  test('does not grow with every iteration', () => {
    for (let iteration = 1; iteration <= maxPreviousOutputs + 5; iteration += 1) {
      const own = iterationPaths(paths, look, iteration);
      mkdirSync(own.folder, { recursive: true });
      writeFileSync(own.output, '');
    }
    const previous = contextOf(look, maxPreviousOutputs + 6).inputs.from_previous_iterations;
    expect([previous.length, previous.at(-1)]).toEqual([
      maxPreviousOutputs,
      iterationPaths(paths, look, maxPreviousOutputs + 5).output,
    ]);
  });
});

test('outputs of a stage come in the order of its iterations, past 999 too', () => {
  for (const iteration of [1000, 2, 10, 999]) {
    const own = iterationPaths(paths, look, iteration);
    mkdirSync(own.folder, { recursive: true });
    writeFileSync(own.output, '');
  }
  mkdirSync(iterationPaths(paths, look, 11).folder);
  mkdirSync(join(paths.folder, 'stage-00-look/iterations/notes'));
  expect(stageOutputs(paths, look)).toEqual([2, 10, 999, 1000].map(n => iterationPaths(paths, look, n).output));
  expect(stageOutputs(paths, fix)).toEqual([]);
});

test('inputs are written and read as they are; none means none, nonsense is told', () => {
  expect(readInputs(paths.inputs)).toEqual({ kind: 'inputs', values: {} });
  writeInputs(paths, { files: 'a\nb', n: [1, null] });
  expect(readInputs(paths.inputs)).toEqual({ kind: 'inputs', values: { files: 'a\nb', n: [1, null] } });
  for (const text of ['', '[1]', 'null', '{']) {
    writeFileSync(paths.inputs, text);
    expect(readInputs(paths.inputs)).toMatchObject({
      kind: 'bad',
      reason: expect.stringContaining('inputs.json is not'),
    });
  }
});

describe('status.json', () => {
  const statusOf = (text: string | Buffer) => {
    writeFileSync(paths.current.status, text);
    return readStatus(paths.current.status);
  };

  test.each(['continue', 'stop', 'error'] as const)('%s is a decision', decision => {
    expect(statusOf(JSON.stringify({ decision, reason: 'why' }))).toEqual({ decision, reason: 'why' });
  });

  test('tells what was done; what has the wrong type there, and what no one reads, is left out', () => {
    const work = { items_completed: ['T1'], files_touched: ['a.ts', 7] };
    expect(statusOf(`\uFEFF${JSON.stringify({ decision: 'stop', reason: 1, summary: 's', work })}`)).toEqual({
      decision: 'stop',
      summary: 's',
    });
  });

  test('that is missing means continue', () =>
    expect(readStatus(paths.current.status)).toEqual({ decision: 'continue' }));

  test.each([
    ['', 'is empty'],
    ['done', 'is not valid JSON'],
    ['{"decision":"stop"', 'is not valid JSON'],
    ['[]', 'is not a JSON object'],
    ['"stop"', 'is not a JSON object'],
    ['{"decision":"Stop"}', 'has the decision "Stop", which is not one of continue, stop, error'],
    ['{"decision":null}', 'has the decision null'],
    ['{"decision":{"toString":1}}', 'has the decision {"toString":1}'],
    [`${'['.repeat(200_000)}`, 'is not valid JSON'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'is larger than 1 MiB'],
  ])('%.30j is an error that says why', (text, reason) => {
    const status = statusOf(text);
    expect(status).toMatchObject({ decision: 'error' });
    expect(status.reason).toContain(`status.json ${reason}`);
    expect(status.reason!.length).toBeLessThan(250);
  });

  test('that is a pipe is an error at once, not a wait for ever', () => {
    execFileSync('mkfifo', [paths.current.status]);
    expect(readStatus(paths.current.status).reason).toBe('status.json is not a regular file');
  });
});
