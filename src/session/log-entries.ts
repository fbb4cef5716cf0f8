import { toKnown } from '../model/known-record.ts';
import type { SessionEntry, StoredEntry } from '../model/record.ts';
import { printedBy } from '../model/words.ts';
import { foldApprovals } from './state/approvals.ts';
import { newState } from './state/state.ts';

/** A line of `log --json`. A contract with scripts: types and fields are added, never changed. `seq` is the journal's own count. */
export type LogEntry = { seq: number; at: string; type: string } & Readonly<Record<string, unknown>>;

/** What each entry of a journal tells programs; what only the loop needs tells nothing. */
export function createLogEntries(): (entry: StoredEntry) => readonly LogEntry[] {
  const { approvals } = newState();
  return stored => {
    const { seq, at } = stored;
    const entry = toKnown(stored);
    const lines = entry ? linesOf(entry) : linesOfUnknown(stored);
    if (entry) {
      const asked = approvals.all.length;
      const waiting = 'key' in entry ? approvals.waiting.get(entry.key ?? '') : undefined;
      foldApprovals(approvals, entry);
      const question = approvals.all[asked];
      if (question) lines.push({ type: 'question.asked', ...question });
      if (waiting?.status === 'answered') lines.push({ type: 'question.answered', ...waiting });
    }
    return lines.map(line => ({ seq, at, ...line }));
  };
}

type Line = Omit<LogEntry, 'seq' | 'at'> & { type: string };

function linesOf(entry: SessionEntry): Line[] {
  switch (entry.kind) {
    case 'event': {
      const { name, session: _session, at: _at, ...fields } = entry.event;
      return [{ type: name, ...(entry.key !== undefined && { key: entry.key }), ...fields }];
    }
    case 'session.started': {
      const { run, plan, settings, program } = entry;
      return [
        { type: 'run.started', run: run.number, pid: run.pid, program, pipeline: plan.name, agent: settings.agent },
      ];
    }
    case 'session.resumed':
      return [{ type: 'run.started', run: entry.run.number, pid: entry.run.pid }];
    case 'session.closed':
      return [{ type: 'run.ended', ...fieldsOf(entry) }];
    case 'hook.finished':
      return [{ type: entry.kind, ...fieldsOf(entry), output: outputOf(entry) }];
    case 'pending.taken':
      return [{ type: 'agent.told', key: entry.key, text: entry.text, hooks: entry.hooks ?? [] }];
    case 'step.started':
    case 'step.done':
    case 'tasks.found':
    // Their events tell of them.
    case 'pause.started':
    case 'pause.ended':
      return [];
    default:
      return [{ type: entry.kind, ...fieldsOf(entry) }];
  }
}

/** Of a later version, or none at all. */
const linesOfUnknown = (stored: StoredEntry): Line[] => {
  const { kind } = stored as { kind?: unknown };
  return [{ type: typeof kind === 'string' ? kind : 'unknown', ...fieldsOf(stored) }];
};

function fieldsOf(entry: object): Record<string, unknown> {
  const { seq: _seq, at: _at, kind: _kind, pending: _pending, ...fields } = entry as Record<string, unknown>;
  return fields;
}

/** What a hook printed, or was answered. */
function outputOf({ result }: Extract<SessionEntry, { kind: 'hook.finished' }>): string {
  return result.status === 'finished' ? printedBy(result.outcome) : '';
}
