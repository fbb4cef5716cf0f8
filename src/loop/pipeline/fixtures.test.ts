import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeProblem, type HookDefinition } from '../../model/index.ts';
import { type ResolvedPipeline, resolvePipeline } from './resolve.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

test.each(readdirSync(fixtures))('%s is resolved as its expected.json says', name => {
  const folder = join(fixtures, name);
  const root = join(folder, 'project');
  const places = { root, repo: root, cwd: root, home: root, config: join(root, '.config') };
  const run = readFileSync(join(folder, 'run'), 'utf8').trim();
  const shown = JSON.parse(JSON.stringify(show(resolvePipeline(run, { places }))).replaceAll(folder, 'FOLDER'));
  const expected = join(folder, 'expected.json');
  if (process.env['UPDATE_FIXTURES']) writeFileSync(expected, `${JSON.stringify(shown, null, 2)}\n`);
  expect(shown).toEqual(JSON.parse(readFileSync(expected, 'utf8')));
});

/** Hooks have their own tests; here only which ones there are, and where from. */
function show(resolved: ResolvedPipeline): unknown {
  if (resolved.kind === 'not-found') return resolved;
  const problems = resolved.problems.map(problem => describeProblem(problem).split('\n'));
  if (resolved.kind === 'bad') return { kind: 'bad', problems };
  const { plan } = resolved;
  const stages = plan.stages.map(stage => ({ ...stage, hooks: stage.hooks.map(showHook) }));
  return { kind: 'plan', plan: { ...plan, stages, hooks: plan.hooks.map(showHook) }, problems };
}

const showHook = ({ id, source }: HookDefinition): string => `${source.scope} ${id}`;

test('a file of any text gives a plan or problems, and never throws', () => {
  const root = mkdtempSync(join(tmpdir(), 'hookloop-any-'));
  const places = { root, repo: root, cwd: root, home: root, config: join(root, '.config') };
  const line = fc.constantFrom(
    ...[
      'stages:',
      'nodes:',
      'hooks:',
      '  on_error:',
      '    - { type: shell, command: x }',
      '  - loop: a',
      '  - stage: b',
    ],
    ...[
      '  - name: c',
      '    prompt: do it',
      '    runs: 0',
      '    inputs: { from: c }',
      '    inputs: [c]',
      'prompt: say it',
    ],
    ...[
      'termination: { type: judgment, judge: {} }',
      'termination: &t { type: queue }',
      '    termination: *t',
      'name: 1',
    ],
    ...[
      'perspectives: [a]',
      '  - prompt: .',
      '  - { prompt: /, id: x, delay: 1e308 }',
      'commands: { a: b }',
      '- x',
      '  - *t',
    ],
  );
  const content = fc.oneof(
    fc.array(line, { maxLength: 12 }).map(lines => lines.join('\n')),
    fc.string(),
  );
  try {
    fc.assert(
      fc.property(content, text => {
        writeFileSync(join(root, 'a.yaml'), text);
        const resolved = resolvePipeline('a.yaml', { places });
        if (resolved.kind === 'bad') expect(resolved.problems.some(({ severity }) => severity === 'error')).toBe(true);
        else expect(resolved.kind).toBe('plan');
      }),
      { numRuns: 500 },
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
