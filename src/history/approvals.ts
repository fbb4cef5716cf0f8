import type { KnownEntry } from './known-record.ts';
import type { ApprovalView } from './view.ts';

export interface ApprovalFold {
  add(entry: KnownEntry): void;
  view(isRunning: boolean): ApprovalView[];
}

/** Questions to a person. The record that ends the work with the question's key is its answer. */
export function createApprovalFold(): ApprovalFold {
  const all: ApprovalView[] = [];
  const waiting = new Map<string, ApprovalView>();
  return {
    add(entry) {
      if (entry.kind === 'event' && entry.event.name === 'approval.requested') {
        const approval = toApproval(entry);
        all.push(approval);
        if (entry.key !== undefined) waiting.set(entry.key, approval);
      } else if (entry.kind === 'hook.finished' || entry.kind === 'step.done') {
        const approval = waiting.get(entry.key);
        if (!approval) return;
        Object.assign(approval, answerOf(entry));
        waiting.delete(entry.key);
      }
    },
    view: isRunning =>
      isRunning ? all : all.map(one => (one.status === 'waiting' ? { ...one, status: 'over' as const } : one)),
  };
}

function toApproval({ at, seq, event }: Extract<KnownEntry, { kind: 'event' }>): ApprovalView {
  const { title, question = '', stage, iteration, extra } = event;
  const { approval, expires } = extra ?? {};
  return {
    id: typeof approval === 'string' ? approval : String(seq),
    ...(title !== undefined && { title }),
    question,
    ...(stage !== undefined && { stage }),
    ...(iteration !== undefined && { iteration }),
    since: at,
    ...(typeof expires === 'string' && { expires }),
    status: 'waiting',
  };
}

function answerOf(entry: Extract<KnownEntry, { kind: 'hook.finished' | 'step.done' }>): Partial<ApprovalView> {
  const outcome =
    entry.kind === 'hook.finished' && entry.result.status === 'finished' ? entry.result.outcome : undefined;
  if (outcome?.kind !== 'answered') return { status: entry.kind === 'step.done' ? 'answered' : 'over' };
  const { action, message } = outcome;
  return { status: 'answered', answer: action, ...(message && { message }) };
}
