import { closeSync, fsync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import type { Tokens } from '../model/agent.ts';
import { isCount, isObject } from '../model/json.ts';
import {
  type FileBytes,
  jsonText,
  readRegularFile,
  replaceLink,
  writeAtomically,
  writeJson,
  writeNew,
} from '../platform/files.ts';
import type { IterationContext } from './inputs.ts';
import { type IterationPaths, iterationPaths, type SessionFiles, type StageRef } from './paths.ts';

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
  // No one looks into a new folder before the link below leads there.
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
  const found = readRegularFile(iterationPaths(paths, stage, iteration).prompt, maxFileBytes);
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
  const written = readRegularFile(paths.current.status, maxFileBytes);
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
  return statusIn(written);
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

const maxFileBytes = 1024 * 1024;

const same = (text: string): string => text;

const decisions = ['continue', 'stop', 'error'] as const;

/** What an iteration decided. */
export interface IterationStatus {
  decision: (typeof decisions)[number];
  reason?: string;
  summary?: string;
}

/** Reads status.json after a turn. A missing one means `continue`; one that cannot be understood is an error. */
export const readStatus = (path: string): IterationStatus => statusIn(readRegularFile(path, maxFileBytes));

function statusIn(found: FileBytes): IterationStatus {
  const status = understood(found);
  return typeof status === 'string' ? { decision: 'error', reason: `status.json ${status}` } : status;
}

/** Forgets what a turn has left half written that is begun again: it has decided nothing. */
export function dropHalfStatus(path: string): void {
  const found = readRegularFile(path, maxFileBytes);
  if (found.kind === 'bytes' && typeof understood(found) === 'string') rmSync(path, { force: true });
}

/** A text says what is wrong with it. */
function understood(found: FileBytes): IterationStatus | string {
  if (found.kind === 'absent') return { decision: 'continue' };
  if (found.kind === 'unreadable') return found.reason;
  const text = found.bytes.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') return 'is empty';
  const parsed = parse(text);
  return typeof parsed === 'string' ? parsed : understand(parsed);
}

/** Writes a decision where the agent would: for the tool `finish`. */
export const writeStatus = (path: string, status: IterationStatus): void => writeJson(path, status);

function parse(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'is not a JSON object';
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message.split('\n')[0]}`;
  }
}

function understand(status: Readonly<Record<string, unknown>>): IterationStatus | string {
  const decision = decisions.find(known => known === status['decision']);
  if (!decision) {
    if (!Object.hasOwn(status, 'decision')) return { decision: 'continue' };
    const written = JSON.stringify(status['decision']).slice(0, 80);
    return `has the decision ${written}, which is not one of ${decisions.join(', ')}`;
  }
  const { reason, summary } = status;
  return {
    decision,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(typeof summary === 'string' && summary !== '' && { summary }),
  };
}

/** What a program that is no agent of the protocol says a turn has used, in a status.json that it wrote in that turn. */
export interface StatusUsage {
  tokens?: Tokens;
  costUsd?: number;
}

/** Tells what a turn has used once the turn is over, by what it changed of status.json. */
export function watchStatusUsage(path: string): () => StatusUsage {
  const look = (): string => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
  };
  const before = look();
  return () => (look() === before ? {} : usageIn(readRegularFile(path, maxFileBytes)));
}

function usageIn(found: FileBytes): StatusUsage {
  const parsed = found.kind === 'bytes' ? parse(found.bytes.toString()) : '';
  const usage = typeof parsed === 'string' ? undefined : parsed['usage'];
  if (typeof usage !== 'object' || usage === null) return {};
  const { input_tokens: input, output_tokens: output, cost_usd: costUsd } = usage as Record<string, unknown>;
  return {
    ...(isCount(input) && isCount(output) && { tokens: { input: Math.round(input), output: Math.round(output) } }),
    ...(isCount(costUsd) && { costUsd }),
  };
}
