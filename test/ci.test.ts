import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './program.ts';

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
}

interface Workflow {
  permissions: object;
  concurrency: object;
  jobs: Record<string, { steps: Step[]; strategy?: { matrix: { os: string[]; node: string[] } } }>;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const text = read('.github/workflows/ci.yml');
const workflow = parse(text) as Workflow;
const steps = Object.values(workflow.jobs).flatMap(job => job.steps);
const { engines, scripts } = JSON.parse(read('package.json'));

describe('the workflow', () => {
  test('tests every Node that is supported, on Linux and macOS', async () => {
    const setup: string = join(root, 'scripts/setup.mjs');
    const { supportedNodes } = (await import(setup)) as { supportedNodes: string[] };
    const { os, node } = workflow.jobs['tests']!.strategy!.matrix;
    expect(node).toEqual(supportedNodes);
    expect(engines.node).toBe(`>=${node[0]}`);
    expect(os).toEqual(['ubuntu-latest', 'macos-latest']);
  });

  test('runs what .ci/run runs', () => {
    const commands = steps.flatMap(({ run }) => run ?? []).join('\n');
    const local = read('.ci/run');
    const shared = ['npm run --silent check:static', 'npm test', 'node scripts/test-nodes.mjs'];
    for (const command of [...shared, 'node scripts/test-agents.mjs --limit 270 || [ "$?" -eq 75 ]']) {
      expect(commands).toContain(command);
      expect(local).toContain(command);
    }
  });

  test('calls scripts of package.json that are there', () => {
    const called = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(called).not.toEqual([]);
    expect(called.filter(name => !(name in scripts))).toEqual([]);
  });

  test('knows no secret, may only read, and ends a run that a newer one replaces', () => {
    expect(text).not.toMatch(/\$\{\{\s*(secrets|github\.token)\b/);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(workflow.concurrency).toMatchObject({ 'cancel-in-progress': true });
  });

  test('pins its actions by major version', () =>
    expect(steps.flatMap(({ uses }) => uses ?? []).filter(uses => !/^actions\/[\w-]+@v\d+$/.test(uses))).toEqual([]));
});
