import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { type End, envPairsOf, type Running } from '../process/start.ts';
import type { OpenFile, Spill } from '../spill.ts';
import type { ReadyProcess } from './ports.ts';
import { frameOf, script } from './script.ts';

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
  const failed = new Promise<End>(resolve => child.on('error', error => resolve({ kind: 'failed', error })));
  const talk = child.stdio[3] as Socket;
  let isReady = false;
  let failure = '';
  talk
    .on('error', () => {})
    .on('data', chunk => {
      if (isReady) failure += chunk;
      isReady = true;
    });
  const closed = new Promise(resolve => talk.once('close', resolve));
  const exited = new Promise<End>(resolve => {
    child.once('exit', async (exitCode, signal) => {
      // It tells why it could not become the program just before it ends.
      await closed;
      if (failure !== '') resolve({ kind: 'failed', error: errorOf(Number(failure)) });
      else resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal });
    });
  });
  const ended = Promise.race([exited, failed]);
  const isAlive = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  child.unref();
  talk.unref();
  return {
    ...{ stdin, stdout, stderr, atMs: Date.now(), ended, isAlive },
    isReady: () => isReady && isAlive(),
    become(program): Running | undefined {
      const envPairs = envPairsOf(program.env);
      const texts = [program.file, program.cwd, ...program.args, ...envPairs];
      if (!isAlive() || texts.some(text => text.includes('\0'))) {
        talk.destroy();
        return undefined;
      }
      child.ref();
      talk.ref().write(frameOf(program, envPairs));
      return { pid: child.pid!, pipes: { stdin: null, stdout: null, stderr: null }, ended, unref };
    },
    end: () => talk.destroy(),
    discard() {
      talk.destroy();
      closeSync(stdin);
      spill.discard(stdout);
      spill.discard(stderr);
    },
  };

  function unref(): void {
    child.unref();
    talk.destroy();
  }
}

function errorOf(errno: number): Error {
  const [code = 'EUNKNOWN'] = Object.entries(constants.errno).find(([, number]) => number === errno) ?? [];
  return Object.assign(new Error(`it could not be started: ${code}`), { code });
}
