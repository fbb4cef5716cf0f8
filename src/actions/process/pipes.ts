import type { ChildProcess } from 'node:child_process';
import type { Output } from '../../model/index.ts';
import type { Spill } from '../spill.ts';
import { createCapture } from './capture.ts';
import { createLineRelay } from './line-relay.ts';
import { type Channels, toOutput } from './output.ts';

/** How long output may still come once the command itself has ended; a grandchild may hold the pipe for ever. */
const drainMs = 100;

interface PipeOptions {
  stdin?: string;
  spill: Spill;
  relayStderr?: (line: string) => void;
}

export function createPipes(options: PipeOptions): Channels {
  let read: Promise<unknown>;
  let output: () => Output;
  return {
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    attach(child) {
      read = watchPipes(child);
      output = collectOutput(child, options);
      feed(child, options.stdin);
    },
    async collect(child) {
      await drain(child, read);
      return output();
    },
    abandon() {},
  };
}

/** Both pipes read to their end: that comes some turns of the event loop before Node calls the process closed. */
const watchPipes = ({ stdout, stderr }: ChildProcess): Promise<unknown> =>
  Promise.all(
    [stdout, stderr].map(
      stream => stream && new Promise(resolve => stream.once('end', resolve).once('close', resolve)),
    ),
  );

function collectOutput(child: ChildProcess, { spill, relayStderr }: PipeOptions): () => Output {
  const stdout = createCapture('stdout', spill);
  const stderr = createCapture('stderr', spill);
  const lines = relayStderr && createLineRelay(relayStderr);
  // The streams are missing when the system had no file descriptors left for them.
  child.stdout?.on('data', stdout.take).on('error', ignore);
  child.stderr?.on('data', stderr.take).on('error', ignore);
  if (lines) child.stderr?.on('data', lines.take);
  return () => {
    lines?.end();
    return toOutput(stdout.end(), stderr.end());
  };
}

function feed(child: ChildProcess, stdin: string | undefined): void {
  if (!stdin) return;
  // A hook that never reads its stdin closes it early; that EPIPE is its right, not our failure.
  child.stdin?.on('error', ignore).end(stdin);
}

/** Waits for the rest of the output, then lets go of the process whatever still holds its pipes. */
async function drain(child: ChildProcess, read: Promise<unknown>): Promise<void> {
  await new Promise<void>(resolve => {
    // One more turn of the event loop: after a busy spell the timer fires before what is in the pipe has been read.
    const timer = setTimeout(() => setImmediate(resolve), drainMs);
    void read.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function ignore(): void {}
