import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { type End, envPairsOf } from '../process/start.ts';
import type { ReadyProcess } from './ports.ts';
import { frameOf, script, whole } from './script.ts';

export interface Waiting extends ReadyProcess {
  isAlive(): boolean;
  /** It has said that it is there. */
  isReady(): boolean;
  /** Resolves once it, or what it has become, has ended. */
  ended: Promise<unknown>;
  /** Ends it unused. */
  end(): void;
}

/** It ends by itself when we do: then nobody holds the other end of the conversation. */
export function startWaiting(perl: string): Waiting {
  const child = spawn(perl, ['-e', script], {
    cwd: '/',
    // What Perl itself reads from the environment is none of its business here.
    env: { LC_ALL: 'C' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<End>(resolve => {
    child.on('error', error => resolve({ kind: 'failed', error }));
    child.once('exit', (exitCode, signal) =>
      resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal }),
    );
  });
  const talk = child.stdio[3] as Socket;
  let said = '';
  talk
    .setEncoding('latin1')
    .on('error', () => {})
    .on('data', (text: string) => {
      said += text;
    });
  const closed = new Promise(resolve => talk.once('close', resolve));
  const isAlive = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const sockets = child.stdio as unknown as readonly Socket[];
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  child.unref();
  for (const socket of sockets) socket.on('error', () => {}).unref();
  return {
    ...{ pipes: child, ended, isAlive, end },
    isReady: () => said !== '' && isAlive(),
    async become(program) {
      const envPairs = envPairsOf(program.env);
      const texts = [program.file, program.cwd, ...program.args, ...envPairs];
      if (!isAlive() || texts.some(text => text.includes('\0'))) {
        end();
        return undefined;
      }
      child.ref();
      for (const socket of sockets) socket.ref();
      talk.write(frameOf(program, envPairs));
      let late: NodeJS.Timeout | undefined;
      // One more turn of the event loop: after a busy spell the timer fires before what was said has been read.
      const isLate = new Promise(resolve => {
        late = setTimeout(() => setImmediate(resolve), patienceMs);
      });
      await Promise.race([closed, isLate]);
      clearTimeout(late);
      if (said === whole) return { pid: child.pid!, pipes: child, ended, unref: () => child.unref() };
      // Why it cannot be started is told by whoever tries in the usual way.
      child.kill('SIGKILL');
      end();
      return undefined;
    },
  };
}

/** One that was stopped must not stop the hook. */
const patienceMs = 1000;
