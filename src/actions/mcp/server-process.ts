import { spawn } from 'node:child_process';
import { createLineRelay } from '../process/line-relay.ts';
import { describeStartFailure } from '../process/start-failure.ts';
import { createMark, markedEnv, stopProcesses } from '../process/stop.ts';

interface ServerProcessOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  onData(chunk: Buffer): void;
  /** It has ended, and why. */
  onEnd(reason: string): void;
}

const graceMs = 2000;
const keptLines = 5;

/** A server in a process group of its own, with everything it starts. Contract: throws where it cannot start, as Node does; for other reasons it ends. */
export function startServer({ command, args, cwd, env, onData, onEnd }: ServerProcessOptions) {
  const mark = createMark();
  const child = spawn(command, args, {
    ...{ cwd, env: markedEnv(env, mark), detached: true },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const last: string[] = [];
  // Without this the server would stand still once the pipe is full.
  const lines = createLineRelay(line => {
    last.push(line.slice(0, 500));
    if (last.length > keptLines) last.shift();
  });
  child.stderr.on('data', lines.take).on('error', ignore);
  child.stdin.on('error', ignore);
  child.stdout.on('data', onData).on('error', ignore);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    // Servers end with their input; those that do not are ended.
    child.stdin.end();
    stopping ??= stopProcesses({ ...(child.pid !== undefined && { group: child.pid }), mark }, graceMs).then(() => {
      for (const stream of child.stdio) stream?.destroy();
    });
    return stopping;
  };
  let hasEnded = false;
  const end = (how: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    // What a dead server leaves behind belongs to no one.
    void stop();
    onEnd([how, ...last].join('\n').trim());
  };
  child.once('close', (exitCode, signal) =>
    end(signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`),
  );
  child.on('error', error => end(describeStartFailure(error, { file: command, cwd, env })));
  return { write: (text: string): void => void child.stdin.write(text), stop };
}

function ignore(): void {}
