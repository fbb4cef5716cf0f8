import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type End, envPairsOf, noPipes } from '../process/start.ts';
import type { OpenFile, Spill } from '../spill.ts';
import type { ReadyProcess } from './ports.ts';
import { frameOf, script, whole } from './script.ts';

export interface Waiting extends ReadyProcess {
  atMs: number;
  isAlive(): boolean;
  /** Resolves once it, or what it has become, has ended. */
  ended: Promise<unknown>;
  /** It has said that it is there. */
  isReady(): boolean;
  /** Ends it and removes its files. */
  discard(): void;
}

interface WaitingParts {
  perl: string;
  stdin: number;
  stdout: OpenFile;
  stderr: OpenFile;
  spill: Spill;
}

/** It ends by itself when we do: then nobody holds the other end of the conversation. */
export function startWaiting({ perl, stdin, stdout, stderr, spill }: WaitingParts): Waiting {
  const child = spawn(perl, ['-e', script], {
    cwd: '/',
    // What Perl itself reads from the environment is none of its business here.
    env: { LC_ALL: 'C' },
    detached: true,
    stdio: [stdin, stdout.fd, stderr.fd, 'pipe'],
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
  child.unref();
  talk.unref();
  return {
    ...{ stdin, stdout, stderr, atMs: Date.now(), ended, isAlive },
    isReady: () => said !== '' && isAlive(),
    async become(program) {
      const envPairs = envPairsOf(program.env);
      const texts = [program.file, program.cwd, ...program.args, ...envPairs];
      if (!isAlive() || texts.some(text => text.includes('\0'))) {
        talk.destroy();
        return undefined;
      }
      child.ref();
      talk.ref().write(frameOf(program, envPairs));
      let late: NodeJS.Timeout | undefined;
      // One more turn of the event loop: after a busy spell the timer fires before what was said has been read.
      const isLate = new Promise(resolve => {
        late = setTimeout(() => setImmediate(resolve), patienceMs);
      });
      await Promise.race([closed, isLate]);
      clearTimeout(late);
      if (said === whole) return { pid: child.pid!, pipes: noPipes, ended, unref: () => child.unref() };
      // Why it cannot be started is told by whoever tries in the usual way.
      child.kill('SIGKILL');
      talk.destroy();
      return undefined;
    },
    end: () => talk.destroy(),
    discard() {
      talk.destroy();
      closeSync(stdin);
      spill.discard(stdout);
      spill.discard(stderr);
    },
  };
}

/** One that was stopped must not stop the hook. */
const patienceMs = 1000;
