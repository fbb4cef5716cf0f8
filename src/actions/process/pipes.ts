import type { Readable } from 'node:stream';
import type { Output } from '../../model/index.ts';
import type { Spill } from '../spill.ts';
import { type Captured, createCapture } from './capture.ts';
import { createLineRelay } from './line-relay.ts';
import type { Pipes } from './start.ts';

export interface PipeOptions {
  stdin?: string;
  spill: Spill;
  relayStderr?: (line: string) => void;
}

/** How long output may still come once the command itself has ended; a grandchild may hold the pipe for ever. */
const drainMs = 100;

/** Writes the input and reads both outputs of a process that has just been started. The result waits for the rest of what it printed. */
export function attachPipes(pipes: Pipes, { stdin, spill, relayStderr }: PipeOptions): () => Promise<Output> {
  const stdout = createCapture('stdout', spill);
  const stderr = createCapture('stderr', spill);
  const lines = relayStderr && createLineRelay(relayStderr);
  if (lines) pipes.stderr?.on('data', lines.take);
  const read = readToTheEnd([
    [pipes.stdout, stdout.take],
    [pipes.stderr, stderr.take],
  ]);
  // A hook that never reads its stdin closes it early; that EPIPE is its right, not our failure.
  if (stdin) pipes.stdin?.on('error', ignore).end(stdin);
  return async () => {
    await read();
    pipes.stdin?.destroy();
    lines?.end();
    return toOutput(stdout.end(), stderr.end());
  };
}

/** The result waits for the rest, then lets go of the streams whoever still holds them. */
function readToTheEnd(streams: readonly (readonly [Readable | null, (chunk: Buffer) => void])[]): () => Promise<void> {
  const unread = new Set<Readable>();
  let whenRead = ignore;
  for (const [stream, take] of streams) {
    // They are missing when the system had no file descriptors left for them.
    if (!stream) continue;
    const over = (): void => {
      if (unread.delete(stream) && unread.size === 0) whenRead();
    };
    unread.add(stream);
    // The end comes some turns of the event loop before Node calls the stream closed.
    stream.on('data', take).on('error', ignore).on('end', over).on('close', over);
  }
  return async () => {
    if (unread.size === 0) return;
    await new Promise<void>(resolve => {
      // One more turn of the event loop: after a busy spell the timer fires before what is in the pipe has been read.
      const timer = setTimeout(() => setImmediate(resolve), drainMs);
      whenRead = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    for (const stream of unread) stream.destroy();
  };
}

function toOutput(stdout: Captured, stderr: Captured): Output {
  const output = { stdout: stdout.text, stderr: stderr.text };
  if (stdout.cut === undefined && stderr.cut === undefined) return output;
  return {
    ...output,
    truncated: {
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      ...(stdout.cut?.file === undefined ? {} : { stdoutFile: stdout.cut.file }),
      ...(stderr.cut?.file === undefined ? {} : { stderrFile: stderr.cut.file }),
    },
  };
}

function ignore(): void {}
