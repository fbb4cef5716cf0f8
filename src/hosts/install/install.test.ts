import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/program.ts';
import { parseJsonc } from '../../config/json.ts';
import { settingsFile } from '../host.ts';
import { type AgentName, agentNames, hosts } from '../index.ts';
import { hostSettings } from '../settings-table.ts';
import { messyJsonc } from './fixtures/messy-jsonc.ts';
import { type Doing, type Planned, planChange } from './install.ts';
import { openRecords } from './install-records.ts';
import { isSameBut } from './json-entries.ts';

const folder = temporaryFolder('install');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const jsonAgents = agentNames.filter(agent => hostSettings[agent].holds.kind === 'json');

/** A project of its own, with what the agent's file holds before. */
function projectWith(agent: AgentName, text: string | undefined, path?: string) {
  const root = mkdtempSync(join(folder, 'p-'));
  const folders = { root, home: join(root, 'home'), env: {} };
  const file = path === undefined ? settingsFile(hosts[agent], 'shared', folders) : join(root, path);
  if (text !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const run = (doing: Doing, { program = '/bin/hookloop', forgetful = false } = {}): Planned => {
    const records = openRecords(forgetful ? undefined : join(root, 'records'));
    const wanted = { agent, scope: 'shared' as const, folders, program };
    const planned = planChange(doing, wanted, records);
    if (planned.kind === 'change') planned.apply();
    return planned;
  };
  return { root, file, run, read: () => readFileSync(file, 'utf8') };
}

describe.each(agentNames)('install and uninstall %s', agent => {
  test('leave nothing behind where nothing was', () => {
    const { root, file, run } = projectWith(agent, undefined);
    expect(run('install').kind).toBe('change');
    expect(existsSync(file)).toBe(true);
    expect(run('install').kind).toBe('same');
    expect(run('uninstall').kind).toBe('change');
    expect(
      existsSync(
        join(
          root,
          dirname(file)
            .slice(root.length + 1)
            .split('/')[0]!,
        ),
      ),
    ).toBe(false);
    expect(run('uninstall').kind).toBe('same');
  });

  test('replace entries that call another program', () => {
    const { read, run, file } = projectWith(agent, undefined);
    run('install', { program: '/old/hookloop' });
    expect(run('install', { program: '/new/hookloop' }).kind).toBe('change');
    expect(read()).toContain('/new/hookloop');
    expect(read()).not.toContain('/old/hookloop');
    run('uninstall');
    expect(existsSync(file)).toBe(false);
  });
});

describe.each(jsonAgents)('the file of %s', agent => {
  const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 15) };

  test('is as it was, byte for byte, after install and uninstall', () => {
    fc.assert(
      fc.property(messyJsonc, text => {
        const { read, run } = projectWith(agent, text);
        const planned = run('install');
        if (planned.kind !== 'change') return expect(planned.kind).toBe('change');
        const installed = read();
        expect(run('install').kind).toBe('same');
        expect(read()).toBe(installed);
        run('uninstall');
        expect(read()).toBe(text);
      }),
      runs,
    );
  });

  test('keeps every line, remark and value that it had, with all our entries beside them', () => {
    fc.assert(
      fc.property(messyJsonc, text => {
        const { read, run } = projectWith(agent, text);
        run('install');
        const [before, after] = [text.replace('\ufeff', ''), read().replace('\ufeff', '')];
        expect(parseJsonc(after).kind).toBe('parsed');
        expect(isSameBut(before, after)).toBe(true);
        for (const native of Object.keys(hosts[agent].events))
          expect(after).toMatch(
            new RegExp(
              `hook ${agent} ${native.replaceAll('.', '\\.')}( --from \\S+)( \\|\\| sh -c '[^']+ exit 2')? # hookloop`,
            ),
          );
        expect(remarksIn(after)).toEqual(remarksIn(before));
        expect(read().startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
        if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
      }),
      runs,
    );
  });

  test('says what it said before even when our record of it is lost', () => {
    fc.assert(
      fc.property(messyJsonc, text => {
        const { read, run, file } = projectWith(agent, text);
        run('install', { forgetful: true });
        const planned = run('uninstall', { forgetful: true });
        expect(planned.kind).not.toBe('problem');
        // One that says nothing may be ours, and then goes.
        const after = existsSync(file) ? read() : '{}';
        expect(after).not.toContain('# hookloop');
        expect(isSameBut(text.replace('\ufeff', ''), after.replace('\ufeff', ''))).toBe(true);
      }),
      runs,
    );
  });

  test.each([
    '{\n  "model": "x",\n  "hooks": { "Other": [{ "command": "mine" }], }\n}\n',
    '{\n\t"hooks": {"Other": [{"command": "mine"}] /* one */}\n}\n',
    '{"hooks":{"Other":[{"command":"mine"}]}}',
    '{"model":"x","hooks":{}}',
    '{"model":"x"}',
  ])('gets entries on lines of their own, and loses them without a trace: %j', text => {
    const { read, run, file } = projectWith(agent, text);
    run('install');
    const ours = read()
      .split('\n')
      .filter(line => line.includes('# hookloop'));
    expect(ours.length).toBeGreaterThanOrEqual(Object.keys(hosts[agent].events).length);
    for (const line of ours) expect(line).toMatch(/^\s+"(command|bash)": "(\\.|[^"\\])*# hookloop",?$/);
    if (text.includes('\t')) expect(read()).not.toMatch(/^ /m);
    run('uninstall');
    expect(read()).toBe(text);
    if (!text.includes('Other')) return;
    run('install');
    writeFileSync(file, read().replace('mine', 'yours'));
    run('uninstall');
    expect(read().replace(/,\s*"version": 1/, '')).toBe(text.replace('mine', 'yours'));
  });

  test.each(['', ' \n', '\ufeff'])('is there again where it said nothing: %j', text => {
    const { read, run } = projectWith(agent, text);
    expect(run('uninstall').kind).toBe('same');
    expect(read()).toBe(text);
    run('install');
    run('install', { program: '/new/hookloop' });
    expect(read()).toContain('# hookloop');
    run('uninstall');
    expect(read()).toBe(text);
  });

  test('keeps what someone has written into it since', () => {
    const { read, run, file } = projectWith(agent, '{\n  "model": "x" // mine\n}\n');
    run('install');
    writeFileSync(file, read().replace('"model": "x"', '"model": "y"'));
    run('uninstall');
    expect(read()).toMatch(
      /^\{\n {2}"model": "y"(,\n {2}"version": 1)? \/\/ mine\n\}\n$|^\{\n {2}"model": "y",? \/\/ mine(\n {2}"version": 1)?\n\}\n$/,
    );
  });

  test.each([
    ['{ "hooks": { "x": [ }', 1],
    ['{\n  "a": 1\n  "b": 2\n}', 3],
    ['{ "hooks": [] }', 1],
    ['{\n"hooks": null }', 2],
    ['[1]', 1],
    ['"text"', 1],
  ])('is not touched where it cannot be read: %s', (text, line) => {
    const { read, run } = projectWith(agent, text);
    const planned = run('install');
    expect(planned).toMatchObject({ kind: 'problem', problem: { severity: 'error', at: { line } } });
    expect(read()).toBe(text);
  });
});

test('a plugin of someone else is not overwritten', () => {
  const { read, run } = projectWith('opencode', '// mine\n');
  expect(run('install').kind).toBe('refused');
  expect(run('uninstall').kind).toBe('refused');
  expect(read()).toBe('// mine\n');
});

describe('a TOML file of Codex that holds hooks', () => {
  const own = 'model = "x" # mine\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "y"';

  test.each([own, own.replaceAll('\n', '\r\n'), `${own}\n\n`])(
    'gets our tables at its end, and loses them again',
    text => {
      const { read, run } = projectWith('codex', text, '.codex/config.toml');
      expect(run('install').kind).toBe('change');
      expect(read().startsWith(text)).toBe(true);
      expect(read()).toContain('[[hooks.PreToolUse.hooks]]');
      expect(run('install').kind).toBe('same');
      expect(run('uninstall').kind).toBe('change');
      expect(read()).toBe(text);
    },
  );

  test('is left alone where it only keeps which hooks are trusted', () => {
    const text = '[hooks.state."/p/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n';
    const { root, read, run } = projectWith('codex', text, '.codex/config.toml');
    run('install');
    expect(read()).toBe(text);
    expect(existsSync(join(root, '.codex/hooks.json'))).toBe(true);
  });
});

const remarksIn = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)/g)]
    .flatMap(([, remark]) => remark?.trim() ?? [])
    .sort();
