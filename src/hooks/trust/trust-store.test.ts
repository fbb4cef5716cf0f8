import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from './fixtures/sandbox.ts';
import { whyNotTrusted } from './may-run.ts';
import { trustStatus } from './status.ts';

async function trusted(): Promise<Sandbox> {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  expect(await sandbox.trust(['--yes'])).toMatchObject({ exit: 0 });
  return sandbox;
}

const refuses = (sandbox: Sandbox, cwd?: string): string | undefined => sandbox.ask('tool.calling', cwd).refusal;

describe('the store', () => {
  const storeOf = (sandbox: Sandbox) => join(sandbox.env['HOME']!, '.local/state/hookloop/trust.json');

  test.each<[string, string, (file: string) => void]>([
    ['may be written by others', 'chmod 600 FILE', file => chmodSync(file, 0o666)],
    ['stands in a folder that others may write', 'chmod 700 FOLDER', file => chmodSync(join(file, '..'), 0o777)],
    ['is damaged', 'fix or remove FILE', file => writeFileSync(file, '{"version":1,"repos')],
    [
      'is a link',
      'fix or remove FILE',
      file => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
      },
    ],
  ])(
    'refuses everything that has gates and is not written to when it %s, and what to do is told: %s',
    async (_title, remedy, spoil) => {
      const sandbox = await trusted();
      spoil(storeOf(sandbox));
      expect(refuses(sandbox)).toContain('cannot tell what is trusted');
      const before = readFileSync(storeOf(sandbox), 'utf8');
      expect(await sandbox.trust(['--yes'])).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining('nothing was changed'),
      });
      expect(readFileSync(storeOf(sandbox), 'utf8')).toBe(before);
      const wanted = remedy.replace('FILE', storeOf(sandbox)).replace('FOLDER', dirname(storeOf(sandbox)));
      const { hooks, pins, places } = sandbox.plan();
      const told = [
        refuses(sandbox),
        sandbox.ask('tool.called').note,
        (await sandbox.trust(['--yes'])).stderr,
        (await sandbox.trust(['--revoke'])).stderr,
        (await sandbox.trust(['--status'])).stdout,
        whyNotTrusted(hooks, trustStatus({ pins, root: places.root, env: sandbox.env })),
      ];
      for (const text of told) expect(text).toContain(wanted);
      expect(told.filter(text => text?.includes('hookloop trust\n') || text?.endsWith('hookloop trust'))).toEqual([]);
    },
  );

  test('keeps what several writers at once trust', async () => {
    const sandbox = createSandbox();
    const folders = Array.from({ length: 12 }, (_, at) => join(sandbox.base, `p${at}`));
    for (const folder of folders) {
      mkdirSync(join(folder, '.git'), { recursive: true });
      sandbox.write(join(folder, '.claude/settings.json'), claudeHooks);
    }
    await Promise.all(folders.map(folder => sandbox.trust(['--yes'], folder)));
    expect(folders.map(folder => refuses(sandbox, folder))).toEqual(folders.map(() => undefined));
  });
});
