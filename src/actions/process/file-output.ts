import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OpenFile, Spill } from '../spill.ts';
import { type Captured, captureLimits } from './capture.ts';
import { createGrowingFile } from './growing-file.ts';

/**
 * Output of a process in files instead of pipes: Node's pipes are sockets, which cost a tenth of a short program's time
 * and cannot be opened again as /dev/stderr. What stays small is read back and gone.
 */
export interface FileOutput {
  stdout: number;
  stderr: number;
  /** What stderr has got since the last look. */
  newStderr(): Buffer;
  /** Drops what has grown beyond the limit of a file. */
  trim(): void;
  end(): { stdout: Captured; stderr: Captured };
}

/** undefined where files cannot be had, or the disk is so full that a hook might fail on it. */
export function createFileOutput(spill: Spill, limits = captureLimits): FileOutput | undefined {
  const opened: OpenFile[] = [];
  try {
    for (const name of ['stdout', 'stderr'] as const) opened.push(spill.open(name));
    const [stdout, stderr] = opened as [OpenFile, OpenFile];
    const { bavail, bsize } = statfsSync(dirname(stdout.path));
    if (bavail * bsize < minFreeBytes) throw new Error('the disk is nearly full');
    const [out, err] = [createGrowingFile(stdout, spill, limits), createGrowingFile(stderr, spill, limits)];
    return {
      stdout: stdout.fd,
      stderr: stderr.fd,
      newStderr: err.news,
      trim() {
        out.trim();
        err.trim();
      },
      end: () => ({ stdout: out.end(), stderr: err.end() }),
    };
  } catch {
    for (const file of opened) spill.discard(file);
    return undefined;
  }
}

const minFreeBytes = 64 * 1024 * 1024;
