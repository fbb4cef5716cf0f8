import { readRegularFile, writeJson } from '../platform/files.ts';

const decisions = ['continue', 'stop', 'error'] as const;
export type StatusDecision = (typeof decisions)[number];

/** What an iteration decided. `by`: the agent wrote it, wrote nothing, or wrote something that cannot be understood. */
export interface IterationStatus {
  decision: StatusDecision;
  by: 'agent' | 'nobody' | 'nonsense';
  reason?: string;
  summary?: string;
  work?: { itemsCompleted: readonly string[]; filesTouched: readonly string[] };
}

const maxStatusBytes = 1024 * 1024;

/** Reads status.json after a turn. A missing one means `continue`; one that cannot be understood is an error. */
export function readStatus(path: string): IterationStatus {
  const found = readRegularFile(path, maxStatusBytes);
  if (found.kind === 'absent') return { decision: 'continue', by: 'nobody' };
  if (found.kind === 'unreadable') return nonsense(found.reason);
  const text = found.bytes.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') return nonsense('is empty');
  const parsed = parse(text);
  return typeof parsed === 'string' ? nonsense(parsed) : understand(parsed);
}

/** Writes a decision where the agent would: for the tool `finish`. */
export const writeStatus = (
  path: string,
  status: { decision: StatusDecision; reason?: string; summary?: string },
): void => writeJson(path, status);

function parse(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return 'is not a JSON object';
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message.split('\n')[0]}`;
  }
}

function understand(status: Readonly<Record<string, unknown>>): IterationStatus {
  const decision = decisions.find(known => known === status['decision']);
  if (!decision) {
    if (!Object.hasOwn(status, 'decision')) return nonsense('has no "decision"');
    const written = JSON.stringify(status['decision']).slice(0, 80);
    return nonsense(`has the decision ${written}, which is none of ${decisions.join(', ')}`);
  }
  const { reason, summary, work } = status;
  return {
    decision,
    by: 'agent',
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(typeof summary === 'string' && summary !== '' && { summary }),
    ...(typeof work === 'object' && work !== null && { work: workOf(work as Record<string, unknown>) }),
  };
}

const workOf = (work: Readonly<Record<string, unknown>>): NonNullable<IterationStatus['work']> => ({
  itemsCompleted: textsOf(work['items_completed']),
  filesTouched: textsOf(work['files_touched']),
});

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

const nonsense = (what: string): IterationStatus => ({
  decision: 'error',
  by: 'nonsense',
  reason: `status.json ${what}`,
});
