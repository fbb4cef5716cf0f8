import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';
import { whyNotTrusted } from './may-run.ts';
import { trustStatus } from './status.ts';

async function trusted(): Promise<World> {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks);
  expect(await world.trust(['--yes'])).toMatchObject({ exit: 0 });
  return world;
}

const refuses = (world: World, cwd?: string): string | undefined => world.ask('tool.calling', cwd).refusal;

describe('the store', () => {
  const storeOf = (world: World) => join(world.env['HOME']!, '.local/state/hookloop/trust.json');

  test.each<[string, string, (file: string) => void]>([
    ['may be written by others', 'chmod 600 FILE', file => chmodSync(file, 0o666)],
    ['stands in a folder that others may write', 'chmod 700 FOLDER', file => chmodSync(join(file, '..'), 0o777)],
    ['is damaged', 'mend or remove FILE', file => writeFileSync(file, '{"version":1,"repos')],
    [
      'is a link',
      'mend or remove FILE',
      file => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
      },
    ],
  ])(
    'refuses everything that has gates and is not written to when it %s, and what to do is told: %s',
    async (_title, remedy, spoil) => {
      const world = await trusted();
      spoil(storeOf(world));
      expect(refuses(world)).toContain('what is trusted cannot be told');
      const before = readFileSync(storeOf(world), 'utf8');
      expect(await world.trust(['--yes'])).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining('nothing was changed'),
      });
      expect(readFileSync(storeOf(world), 'utf8')).toBe(before);
      const wanted = remedy.replace('FILE', storeOf(world)).replace('FOLDER', dirname(storeOf(world)));
      const { hooks, pins, places } = world.plan();
      const told = [
        refuses(world),
        world.ask('tool.called').note,
        (await world.trust(['--yes'])).stderr,
        (await world.trust(['--revoke'])).stderr,
        (await world.trust(['--status'])).stdout,
        whyNotTrusted(hooks, trustStatus({ pins, root: places.root, env: world.env })),
      ];
      for (const text of told) expect(text).toContain(wanted);
      expect(told.filter(text => text?.includes('hookloop trust\n') || text?.endsWith('hookloop trust'))).toEqual([]);
    },
  );

  test('keeps what several writers at once trust', async () => {
    const world = createWorld();
    const folders = Array.from({ length: 12 }, (_, at) => join(world.base, `p${at}`));
    for (const folder of folders) {
      mkdirSync(join(folder, '.git'), { recursive: true });
      world.write(join(folder, '.claude/settings.json'), claudeHooks);
    }
    await Promise.all(folders.map(folder => world.trust(['--yes'], folder)));
    expect(folders.map(folder => refuses(world, folder))).toEqual(folders.map(() => undefined));
  });
});
