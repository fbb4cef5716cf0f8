import type { Output } from '../../model/index.ts';
import type { Spill } from '../spill.ts';
import { createCapture } from './capture.ts';
import { createLineRelay } from './line-relay.ts';
import { type Channels, toOutput } from './output.ts';
import { type Pipes, startProcess } from './start.ts';

/** How long output may still come once the command itself has ended; a grandchild may hold the pipe for ever. */
const drainMs = 100;

interface PipeOptions {
  stdin?: string;
  spill: Spill;
  relayStderr?: (line: string) => void;
}

export function createPipes(options: PipeOptions): Channels {
  let pipes: Pipes;
  let read: Promise<unknown>;
  let output: () => Output;
  return {
    start: program => startProcess({ ...program, stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] }),
    attach(opened) {
      pipes = opened;
      read = watchPipes(pipes);
      output = collectOutput(pipes, options);
      feed(pipes, options.stdin);
    },
    async collect() {
      await drain(pipes, read);
      return output();
    },
    abandon() {},
  };
}

/** Both pipes read to their end: that comes some turns of the event loop before Node calls the process closed. */
const watchPipes = ({ stdout, stderr }: Pipes): Promise<unknown> =>
  Promise.all(
    [stdout, stderr].map(
      stream => stream && new Promise(resolve => stream.once('end', resolve).once('close', resolve)),
    ),
  );

function collectOutput(pipes: Pipes, { spill, relayStderr }: PipeOptions): () => Output {
  const stdout = createCapture('stdout', spill);
  const stderr = createCapture('stderr', spill);
  const lines = relayStderr && createLineRelay(relayStderr);
  // The streams are missing when the system had no file descriptors left for them.
  pipes.stdout?.on('data', stdout.take).on('error', ignore);
  pipes.stderr?.on('data', stderr.take).on('error', ignore);
  if (lines) pipes.stderr?.on('data', lines.take);
  return () => {
    lines?.end();
    return toOutput(stdout.end(), stderr.end());
  };
}

function feed(pipes: Pipes, stdin: string | undefined): void {
  if (!stdin) return;
  // A hook that never reads its stdin closes it early; that EPIPE is its right, not our failure.
  pipes.stdin?.on('error', ignore).end(stdin);
}

/** Waits for the rest of the output, then lets go of the pipes whoever still holds them. */
async function drain(pipes: Pipes, read: Promise<unknown>): Promise<void> {
  await new Promise<void>(resolve => {
    // One more turn of the event loop: after a busy spell the timer fires before what is in the pipe has been read.
    const timer = setTimeout(() => setImmediate(resolve), drainMs);
    void read.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  pipes.stdin?.destroy();
  pipes.stdout?.destroy();
  pipes.stderr?.destroy();
}

function ignore(): void {}
