import { closeSync, fsync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { jsonText, readRegularFile, replaceLink, writeAtomically, writeNew } from '../platform/files.ts';
import type { IterationContext } from './context.ts';
import { type IterationPaths, iterationPaths, type SessionFiles, type StageRef } from './paths.ts';
import { type IterationStatus, readStatus } from './status.ts';

export interface Beginning {
  prompt: string;
  context: IterationContext;
  /** The agent goes on in the conversation it had before a crash: what it wrote in it counts. */
  goesOn?: boolean;
}

/**
 * Writes prompt.md and context.json and makes `current/` follow this iteration; it may be begun more than once.
 * Contract: throws the system's error.
 */
export function beginIteration(
  paths: SessionFiles,
  stage: StageRef,
  iteration: number,
  { prompt, context, goesOn = false }: Beginning,
): IterationPaths {
  const own = iterationPaths(paths, stage, iteration);
  const isNew = mkdirSync(own.folder, { recursive: true, mode: 0o700 }) !== undefined;
  // An old decision must never be taken for this iteration's, so it goes before anything new comes.
  const stale = goesOn ? [] : [paths.current.status, ...(isNew ? [] : [own.status, own.output])];
  for (const path of stale)
    if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true, force: true });
  // Nobody looks into a new folder before the link below leads there.
  const write = isNew ? writeNew : writeAtomically;
  write(own.prompt, prompt);
  write(own.context, jsonText(context));
  replaceLink(paths.current.context, relative(paths.current.folder, own.context));
  return own;
}

/** What the agent was given in an iteration; undefined where that is not there any more. */
export function givenPrompt(
  paths: SessionFiles,
  { stage, iteration }: { stage?: StageRef; iteration?: number },
): string | undefined {
  if (!stage || iteration === undefined) return undefined;
  const found = readRegularFile(iterationPaths(paths, stage, iteration).prompt, maxKeptBytes);
  return found.kind === 'bytes' ? found.bytes.toString() : undefined;
}

/**
 * Reads the decision and keeps it and the output with the iteration, on disk before it returns. `text` is the agent's
 * last words: they become output.md unless the agent wrote one itself. Contract: throws the system's error.
 */
export async function finishIteration(
  paths: SessionFiles,
  stage: StageRef,
  iteration: number,
  text: string,
  mask: (text: string) => string = same,
): Promise<IterationStatus> {
  const own = iterationPaths(paths, stage, iteration);
  const status = readStatus(paths.current.status);
  const written = readRegularFile(paths.current.status, maxKeptBytes);
  const kept: string[] = [];
  if (written.kind === 'bytes') {
    writeAtomically(own.status, mask(written.bytes.toString()));
    kept.push(own.status);
  }
  // An empty one may be what a power failure has left of ours.
  if (!lstatSync(own.output, { throwIfNoEntry: false })?.size) {
    writeAtomically(own.output, mask(text));
    kept.push(own.output);
  }
  await Promise.all([...kept, own.folder].map(bringToDisk));
  return status;
}

const syncOpened = promisify(fsync);

/** Resolves once a file's bytes, or a folder's names, are on disk; what is not waited for goes on meanwhile. */
async function bringToDisk(path: string): Promise<void> {
  const fd = openSync(path, 'r');
  try {
    await syncOpened(fd);
  } finally {
    closeSync(fd);
  }
}

const maxKeptBytes = 1024 * 1024;

const same = (text: string): string => text;
