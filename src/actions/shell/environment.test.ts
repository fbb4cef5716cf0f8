import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sh, shellIn } from '../fixtures/shell.ts';

const KiB = 1024;

test.each([
  ['95 KiB', 95 * KiB],
  ['96 KiB', 96 * KiB],
])('a value of %s goes whole in its variable, without a file', async (_size, length) => {
  const { run, scratchFolder } = shellIn();
  const outcome = await run(sh('printf %s "$LONG" | wc -c; echo "${LONG_FILE-none}"'), {
    presentation: { env: { LONG: 'x'.repeat(length) } },
  });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: `${length}\nnone\n` });
  expect(existsSync(scratchFolder)).toBe(false);
});

test.each([
  ['97 KiB', 97 * KiB],
  ['127 KiB', 127 * KiB],
  ['128 KiB', 128 * KiB],
  ['129 KiB', 129 * KiB],
  ['3 MB', 3_000_000],
  ['10 MB', 10_000_000],
])('a value of %s is cut in its variable and whole in a file that goes away', async (_size, length) => {
  const { run, scratchFolder } = shellIn();
  const script = 'printf %s "$LONG" | wc -c; wc -c < "$LONG_FILE"; stat -c %a "$LONG_FILE" "$(dirname "$LONG_FILE")"';
  const outcome = await run(sh(script), { presentation: { env: { LONG: 'x'.repeat(length), SHORT: 'y' } } });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: `${96 * KiB}\n${length}\n600\n700\n` });
  expect(readdirSync(scratchFolder)).toEqual([]);
});

test.each(['ä', '€', '😀'])('a value of %s is counted in bytes and cut between characters', async character => {
  const { run } = shellIn();
  const value = `x${character.repeat(60_000)}`;
  const outcome = await run(sh('printf %s "$LONG"; echo; cat "$LONG_FILE"'), {
    presentation: { env: { LONG: value } },
  });
  if (outcome.kind !== 'exited') throw new Error(outcome.kind);
  const [cut = '', whole] = outcome.stdout.split('\n');
  expect(whole).toBe(value);
  expect(value.startsWith(cut)).toBe(true);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(96 * KiB - 4);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(96 * KiB);
});

test('many long values together still start, each in a file of its own', async () => {
  const { run } = shellIn();
  const env = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, `${at}-${'x'.repeat(90_000)}`]));
  const outcome = await run(sh('wc -c < "$V0_FILE"; wc -c < "$V59_FILE"; printf %.3s "$V59"'), {
    presentation: { env },
  });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: '90002\n90003\n59-' });
});

test('files go away after a timeout and after a failed start as well', async () => {
  const { run, scratchFolder } = shellIn();
  const presentation = { env: { LONG: 'x'.repeat(200_000) } };
  expect(await run(sh('sleep 20'), { presentation, timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
  expect(await run({ via: 'exec', file: './none', args: [] }, { presentation })).toMatchObject({ kind: 'not-started' });
  expect(readdirSync(scratchFolder)).toEqual([]);
});

test('NUL characters in a value are removed with a warning that names it', async () => {
  const { run, warnings } = shellIn();
  expect(await run(sh('printf %s "$A"'), { presentation: { env: { A: 'x\0y\0' } } })).toMatchObject({ stdout: 'xy' });
  expect(warnings).toEqual(['NUL characters were removed from A']);
});

test("a variable of the dialect's own with the name of the file is left as it is", async () => {
  const { run, warnings } = shellIn();
  const env = { OUT: 'x'.repeat(100_000), OUT_FILE: 'mine' };
  expect(await run(sh('printf %s "$OUT_FILE"'), { presentation: { env } })).toMatchObject({ stdout: 'mine' });
  expect(warnings[0]).toContain('OUT was cut');
});

test('a value that cannot be written is cut with a warning, and the hook still runs', async () => {
  const scratch = {
    write(): string {
      throw new Error('ENOSPC');
    },
    remove() {},
  };
  const { run, warnings } = shellIn(undefined, { scratch });
  const outcome = await run(sh('echo "${#LONG} ${LONG_FILE-none}"'), {
    presentation: { env: { LONG: 'x'.repeat(200_000) } },
  });
  expect(outcome).toMatchObject({ stdout: `${96 * KiB} none\n` });
  expect(warnings[0]).toContain('could not be written to a file: ENOSPC');
});
