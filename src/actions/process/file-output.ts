import { closeSync, fstatSync, openSync, readSync, statfsSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Scratch } from '../scratch.ts';
import type { Spill } from '../spill.ts';
import { type Captured, captureLimits, cutText } from './capture.ts';

/**
 * Output of a process in files instead of pipes: Node's pipes are sockets, which cost a tenth of a short program's time
 * and cannot be opened again as /dev/stderr. What stays small is read back and gone.
 */
export interface FileOutput {
  stdout: number;
  stderr: number;
  /** What stderr has got since the last look. */
  newStderr(): Buffer;
  end(): { stdout: Captured; stderr: Captured };
}

/** undefined where files cannot be had, or the disk is so full that a hook might fail on it. */
export function createFileOutput(spill: Spill): FileOutput | undefined {
  const opened: { path: string; fd: number }[] = [];
  try {
    for (const name of ['stdout', 'stderr'] as const) opened.push(spill.open(name));
    const [stdout, stderr] = opened as [{ path: string; fd: number }, { path: string; fd: number }];
    const { bavail, bsize } = statfsSync(dirname(stdout.path));
    if (bavail * bsize < minFreeBytes) throw new Error('the disk is nearly full');
    let seen = 0;
    return {
      stdout: stdout.fd,
      stderr: stderr.fd,
      newStderr() {
        const { size } = fstatSync(stderr.fd);
        // `> /dev/stderr` empties the file; what comes after that is new.
        if (size < seen) seen = 0;
        const chunk = readAt(stderr.fd, seen, Math.min(size - seen, captureLimits.fullBytes));
        seen += chunk.length;
        return chunk;
      },
      end: () => ({ stdout: takeBack(stdout), stderr: takeBack(stderr) }),
    };
  } catch {
    for (const file of opened) discard(file);
    return undefined;
  }
}

/** A text as an open file without a name, to be read as stdin. */
export function openInput(text: string, scratch: Scratch): number {
  const path = scratch.write('stdin', text);
  try {
    return openSync(path, 'r');
  } finally {
    scratch.remove(path);
  }
}

const minFreeBytes = 64 * 1024 * 1024;

function takeBack(file: { path: string; fd: number }): Captured {
  const bytes = fstatSync(file.fd).size;
  const { fullBytes, edgeBytes } = captureLimits;
  if (bytes <= fullBytes) {
    const text = readAt(file.fd, 0, bytes).toString('utf8');
    discard(file);
    return { text, bytes };
  }
  const head = readAt(file.fd, 0, edgeBytes);
  const tail = readAt(file.fd, bytes - edgeBytes, edgeBytes);
  closeSync(file.fd);
  return cutText({ head, tail, saved: { path: file.path, bytes } }, bytes);
}

function readAt(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function discard({ path, fd }: { path: string; fd: number }): void {
  closeSync(fd);
  try {
    unlinkSync(path);
  } catch {
    // Somebody else has cleaned up.
  }
}
