import type { Output } from '../../model/index.ts';
import type { Captured } from './capture.ts';
import type { Pipes, Program, Running } from './start.ts';

/** How a process gets its input and gives its output. */
export interface Channels {
  /** Contract: throws what `startProcess` throws. */
  start(program: Program): Promise<Running>;
  /** Called once it has been started. */
  attach(pipes: Pipes): void;
  /** Called once it has ended: everything it printed. */
  collect(): Output | Promise<Output>;
  /** Called when it could not be started. */
  abandon(): void;
}

export function toOutput(stdout: Captured, stderr: Captured): Output {
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
