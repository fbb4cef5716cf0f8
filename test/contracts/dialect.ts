import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { loadHooks } from '../../src/hooks/discovery/load.ts';
import {
  type ActionOutcome,
  type Dialect,
  eventNames,
  type Found,
  type HookDefinition,
  type HookEvent,
  type Places,
} from '../../src/model/index.ts';

/**
 * What every dialect promises. Fixtures: one folder per case with `project/` and `home/` (either may be missing) and
 * `expected.json`; UPDATE_FIXTURES=1 writes the expectations, which are then read and committed.
 */
export function testDialect(dialect: Dialect, fixtures: URL): void {
  const folder = fileURLToPath(fixtures);
  const cases = readdirSync(folder).sort();
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-dialect-')));
  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  describe(`dialect ${dialect.name}`, () => {
    test.each(cases)('reads fixture %s as expected', name => {
      const actual = loadCase(dialect, join(folder, name), join(temporary, name));
      const expectation = join(folder, name, 'expected.json');
      if (process.env['UPDATE_FIXTURES']) writeFileSync(expectation, `${JSON.stringify(actual, null, 2)}\n`);
      expect(actual).toEqual(JSON.parse(readFileSync(expectation, 'utf8')));
    });

    const hooks = cases.flatMap(name => loadCase(dialect, join(folder, name), join(temporary, `${name}-again`)).hooks);

    test('has fixtures with hooks', () => expect(hooks.length).toBeGreaterThan(0));

    test('gives each hook of a case its own id', () => {
      for (const name of cases) {
        const ids = loadCase(dialect, join(folder, name), join(temporary, `${name}-ids`)).hooks.map(hook => hook.id);
        expect(new Set(ids).size, name).toBe(ids.length);
      }
    });

    test('names only events that exist', () => {
      for (const names of Object.values(dialect.events)) for (const name of names) expect(eventNames).toContain(name);
    });

    test('never throws on any text', () => {
      const files = dialect.locations.filter(location => location.holds === 'file');
      if (files.length === 0) return;
      fc.assert(
        fc.property(
          anyConfigText(cases.flatMap(name => textsIn(join(folder, name)))),
          fc.nat(files.length - 1),
          (text, index) => {
            const location = files[index]!;
            const found: Found = { kind: 'text', location, path: `/p/${location.path}`, file: location.path, text };
            const { hooks: read, problems } = dialect.normalise([found], somewhere);
            expect(JSON.parse(JSON.stringify(read))).toEqual(read);
            for (const { at } of problems) expect(at.line * at.column).toBeGreaterThan(0);
          },
        ),
        { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
      );
    });

    test('shows every hook any event without throwing', () => {
      for (const hook of hooks)
        for (const event of anyEvents)
          for (const value of Object.values(
            dialect.present(event, hook, { places: somewhere, carried: nothing, env: {} }).env,
          ))
            expect(typeof value).toBe('string');
    });

    test('never takes a killed, timed out or unstarted action for success', () => {
      for (const hook of hooks)
        for (const outcome of badOutcomes)
          expect(dialect.interpret(outcome, hook, anyEvents[0]!).verdict.kind, outcome.kind).not.toBe('passed');
    });

    test('understands any outcome without throwing', () => {
      for (const hook of hooks)
        for (const outcome of anyOutcomes) for (const event of anyEvents) dialect.interpret(outcome, hook, event);
    });
  });
}

export const somewhere: Places = {
  root: '/p',
  repo: '/p',
  cwd: '/p',
  home: '/h',
  config: '/h/.config',
  plugin: '/plugin',
};
const nothing = { lastHookStatus: '', hookResponse: '', spawnOutput: '' } as const;

function loadCase(
  dialect: Dialect,
  from: string,
  to: string,
): { hooks: readonly HookDefinition[]; problems: readonly unknown[] } {
  mkdirSync(join(to, 'project', '.git'), { recursive: true });
  mkdirSync(join(to, 'home'), { recursive: true });
  for (const part of ['project', 'home'])
    if (existsSync(join(from, part)))
      cpSync(join(from, part), join(to, part), { recursive: true, verbatimSymlinks: true });
  const { hooks, problems } = loadHooks({
    cwd: join(to, 'project'),
    env: { HOME: join(to, 'home') },
    dialects: [dialect],
  });
  return JSON.parse(JSON.stringify({ hooks, problems }).replaceAll(to, '<case>'));
}

const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== 'expected.json')
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'));

/** Random text, and the fixtures with pieces cut out, doubled or replaced. */
const anyConfigText = (samples: string[]): fc.Arbitrary<string> => {
  const mutated = fc
    .tuple(
      fc.constantFrom(...(samples.length > 0 ? samples : [''])),
      fc.nat(),
      fc.nat(60),
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          '__proto__',
          '*a',
          '&a',
          '[[',
          '{',
          '\0',
          '\n  - ',
          '${',
          '"',
          "'",
          'null',
          '1e999',
          '-1',
          '💥',
        ),
      ),
    )
    .map(([sample, at, length, text]) => {
      const start = sample.length === 0 ? 0 : at % sample.length;
      return sample.slice(0, start) + text + sample.slice(start + length);
    });
  return fc.oneof(fc.string({ unit: 'binary' }), fc.json(), mutated, mutated);
};

const hostile = '$(touch PWNED) `x` \' " \n \u0000 💥 {{error}} {file}';
const anyEvents: HookEvent[] = eventNames.flatMap(name => [
  { name },
  {
    name,
    session: hostile,
    at: '2026-01-01T00:00:00.000Z',
    stage: hostile,
    iteration: 3,
    maxIterations: 9,
    error: hostile,
    taskId: hostile,
    content: hostile,
    tool: 'Bash',
    input: { command: hostile },
    output: { text: hostile },
    file: hostile,
    changedFiles: [hostile, 'b'],
    score: 1,
    target: 2,
    title: hostile,
    question: hostile,
    context: { files: [] },
    message: hostile,
    duration: 5,
    status: 'failed',
    extra: { unknown: hostile },
  },
]);

const output = { stdout: '', stderr: '' };
const badOutcomes: ActionOutcome[] = [
  { kind: 'killed', signal: 'SIGKILL', ...output },
  { kind: 'timed-out', afterMs: 1000, ...output },
  { kind: 'not-started', reason: 'not found' },
  { kind: 'no-answer', reason: 'it said nothing' },
  { kind: 'cancelled' },
];
const texts = [
  '',
  '{}',
  '{"decision":"block","reason":"no"}',
  '{"decision":7}',
  '[1]',
  'null',
  '{"ok":true',
  hostile,
  '{"hookSpecificOutput":{"permissionDecision":"deny"}}',
];
const anyOutcomes: ActionOutcome[] = [
  ...badOutcomes,
  ...texts.flatMap(text =>
    [0, 1, 2, 127].map((exitCode): ActionOutcome => ({ kind: 'exited', exitCode, stdout: text, stderr: text })),
  ),
  { kind: 'replied', status: 500, body: '' },
  { kind: 'answered', action: 'reject', message: '', response: {} },
  { kind: 'child-finished', succeeded: false, output: '' },
  { kind: 'judged', ok: false, reason: 'no' },
];
