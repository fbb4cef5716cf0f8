import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createByteMask, createMask } from '../../hooks/secrets/create-mask.ts';
import { runProgram, temporaryFolder } from '../fixtures/programs.ts';
import { createSpill, type Spill } from '../output-files.ts';
import { createCapture } from './capture.ts';

const limits = { fullBytes: 64, edgeBytes: 8, spillEdgeBytes: 500 };
const MiB = 1024 * 1024;

function capture(chunks: readonly (string | Buffer)[], spill: Pick<Spill, 'open'>, some = limits) {
  const stream = createCapture('stdout', spill, some);
  for (const chunk of chunks) stream.take(Buffer.from(chunk as string));
  return stream.end();
}

const folderSpill = () => createSpill(join(temporaryFolder(), 'spill'));
const noSpill: Pick<Spill, 'open'> = {
  open() {
    throw new Error('ENOENT: no one may open this');
  },
};

test('up to the limit a stream is kept whole and no file is made', () => {
  expect(capture(['a'.repeat(32), 'b'.repeat(32)], noSpill)).toEqual({
    text: 'a'.repeat(32) + 'b'.repeat(32),
    bytes: 64,
  });
});

test('beyond it head and tail stay and the line between names the file that has everything', () => {
  const text = 'head----'.concat('x'.repeat(60), '----tail');
  const { cut, ...captured } = capture([...text], folderSpill());
  const file = cut!.file!;
  expect(captured).toEqual({
    bytes: 76,
    text: `head----\n[60 bytes left out; all 76 bytes are in ${file}]\n----tail`,
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
});

test('secrets are masked in the file, at its seams, and where two chunks share one', () => {
  const spill = { ...folderSpill(), mask: () => createByteMask(createMask({ API_TOKEN: 'secret-value-1' })) };
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at} secret-value-1`).join('\n');
  for (const size of [1, 3, 10, 1000]) {
    const pieces = lines.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
    const { text, cut, bytes } = capture(pieces, spill);
    const masked = lines.replaceAll('secret-value-1', '***');
    expect(readFileSync(cut!.file!, 'utf8')).toBe(masked);
    expect(text).toContain(`all ${masked.length} bytes are in`);
    expect(text).not.toMatch(/secret|value/);
    expect(bytes).toBe(lines.length);
  }
});

test.each([1, 2, 3, 5, 7, 64, 100, 500])('pieces of %i bytes give the same text as one', size => {
  const bytes = Buffer.from('0123456789 äöü€😀 '.repeat(12));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const withoutPath = (text: string): string => text.replace(/\/\S+\]/, 'FILE]');
  expect(withoutPath(capture(pieces, folderSpill()).text)).toBe(withoutPath(capture([bytes], folderSpill()).text));
});

test.each(['ä', '€', '😀'])('at the seam no %s is cut in two', character => {
  for (let shift = 0; shift < 4; shift += 1) {
    const text = 'x'.repeat(shift) + character.repeat(50);
    const captured = capture([text], folderSpill());
    expect(captured.text).not.toContain('\ufffd');
    const leftOut = Number(/\[(\d+) bytes left out/.exec(captured.text)![1]);
    const kept = captured.text.replace(/\n\[.*\]\n/, '');
    expect(Buffer.byteLength(kept) + leftOut).toBe(Buffer.byteLength(text));
  }
});

test('at the seams a word stays whole or goes: half a secret could not be masked', () => {
  const spill = folderSpill();
  const wide = { fullBytes: 64, edgeBytes: 24, spillEdgeBytes: 500 };
  const capture = createCapture('stdout', spill, wide);
  capture.take(Buffer.from('password: s3cret-of-many-letters '));
  capture.take(Buffer.from('- '.repeat(40)));
  capture.take(Buffer.from('s3cret-of-many-letters was it'));
  const { text } = capture.end();
  expect(text).toMatch(/^password: \n\[\d+ bytes left out; .*\]\nwas it$/);
});

test.each([1, 7, 300, 1800])(
  'in pieces of %i bytes, a file keeps the beginning and the end and says how much is between',
  size => {
    const bytes = Array.from({ length: 450 }, (_, at) => String(at).padStart(4, '0')).join('');
    const captured = capture(bytes.match(new RegExp(`.{1,${size}}`, 'g'))!, folderSpill());
    const file = captured.cut!.file!;
    expect(readFileSync(file, 'utf8')).toBe(`${bytes.slice(0, 500)}\n[800 bytes left out]\n${bytes.slice(-500)}`);
    expect(captured.text).toContain(`the first 500 and the last 500 of 1800 bytes are in ${file}]`);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  },
);

test.each([1000, 999, 501])('of %i bytes in two halves of 500 nothing is left out', length => {
  const bytes = 'abcdefg'.repeat(200).slice(0, length);
  const captured = capture([bytes.slice(0, 400), bytes.slice(400)], folderSpill());
  expect(readFileSync(captured.cut!.file!, 'utf8')).toBe(bytes);
  expect(captured.text).toContain(`all ${length} bytes are in`);
});

test('a full disk costs the file, not the output', () => {
  const full: Pick<Spill, 'open'> = { open: () => ({ path: '/dev/full', fd: openSync('/dev/full', 'w') }) };
  const captured = capture(['x'.repeat(100), 'y'.repeat(100)], full);
  expect(captured.cut).toEqual({});
  expect(captured.text).toMatch(/^x{8}\n\[184 bytes left out; they could not be saved \(ENOSPC: .*\)\]\ny{8}$/);
});

test('a file that fails halfway says how far it goes', () => {
  const path = join(temporaryFolder(), 'half');
  const fd = openSync(path, 'w');
  const stream = createCapture('stdout', { open: () => ({ path, fd }) }, limits);
  stream.take(Buffer.from('x'.repeat(100)));
  closeSync(fd);
  stream.take(Buffer.from('y'.repeat(100)));
  expect(stream.end().text).toMatch(/only the first 100 of 200 bytes are in \S+ \(EBADF/);
});

test('a folder that cannot be made is said in the text', () => {
  expect(capture(['x'.repeat(100)], createSpill('/dev/null/spill')).text).toMatch(/could not be saved \(ENOTDIR/);
});

test('1 MiB of output is whole, one byte more is cut and saved', async () => {
  const whole = await runProgram('big-output', [String(MiB)]);
  expect(whole).not.toHaveProperty('truncated');
  expect(whole).toHaveProperty('stdout.length', MiB);

  const cut = await runProgram('big-output', [String(MiB + 1), 'stderr']);
  if (cut.kind !== 'exited') throw new Error(cut.kind);
  expect(cut.truncated).toEqual({
    stdoutBytes: 0,
    stderrBytes: MiB + 1,
    stderrFile: expect.stringContaining('.stderr.'),
  });
  expect(statSync(cut.truncated!.stderrFile!).size).toBe(MiB + 1);
  expect(cut.stderr.length).toBeLessThan(2 * 64 * 1024 + 400);
});

test('a program that prints byte by byte is captured whole', async () => {
  expect(await runProgram('byte-by-byte', ['200000'])).toMatchObject({ stdout: 'x'.repeat(200_000) });
});
