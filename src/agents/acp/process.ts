import { type ChildProcess, spawn } from 'node:child_process';
import { createLineRelay } from '../../actions/process/line-relay.ts';
import { describeStartFailure } from '../../actions/process/start-failure.ts';
import { createMark, markedEnv, stopProcesses } from '../../actions/process/stop.ts';
import { execLine } from '../command-line.ts';

export interface ProcessOptions {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Gets each line of stderr as it comes. Contract: does not throw. */
  onLog(line: string): void;
}

export interface Gone {
  exitCode: number | null;
  /** How it ended, with its last words. */
  reason: string;
}

const graceMs = 2000;
/** A grandchild may hold the pipes for ever. */
const drainMs = 200;
const keptLines = 20;

export type AgentProcess = ReturnType<typeof startProcess>;

/** The agent's process, in a group of its own, with everything it starts. Contract: never throws; a process that cannot start is gone at once. */
export function startProcess({ command, cwd, env, onLog }: ProcessOptions) {
  const mark = createMark();
  const child = spawn('sh', ['-c', execLine(command)], {
    cwd,
    env: markedEnv(env, mark),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lastLines = keepLastLines(child, onLog);
  child.stdin.on('error', ignore);
  let isAlive = true;
  let stopping: Promise<void> | undefined;
  /** Ends it and everything it started. */
  const stop = (): Promise<void> => {
    isAlive = false;
    stopping ??= stopProcesses({ ...(child.pid !== undefined && { group: child.pid }), mark }, graceMs);
    return stopping;
  };
  /** Settles when the process has ended and what it had written has been read. */
  const gone = new Promise<Gone>(resolve => {
    const end = (exitCode: number | null, how: string): void => {
      // What a dead agent leaves behind belongs to no one.
      void stop();
      const tell = (): void => {
        const words = lastLines();
        resolve({ exitCode, reason: words === '' ? how : `${how}\n${words}` });
      };
      const timer = setTimeout(() => setImmediate(tell), drainMs);
      child.once('close', () => {
        clearTimeout(timer);
        setImmediate(tell);
      });
    };
    child.once('exit', (exitCode, signal) =>
      end(exitCode, signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`),
    );
    child.on('error', error => end(null, describeStartFailure(error, { file: 'sh', cwd, env })));
  });
  return { stdin: child.stdin, stdout: child.stdout, gone, isAlive: (): boolean => isAlive, stop };
}

/** Without this the agent would stand still once the pipe is full. */
function keepLastLines(child: ChildProcess, onLog: (line: string) => void): () => string {
  const lines: string[] = [];
  const relay = createLineRelay(line => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    onLog(line);
  });
  child.stderr!.on('data', relay.take).on('error', ignore);
  return () => {
    relay.end();
    return lines.join('\n').trim().slice(-4000);
  };
}

function ignore(): void {}
