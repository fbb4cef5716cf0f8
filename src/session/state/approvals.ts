import { fieldsOf, holdsAll } from '../../model/known-record.ts';
import type { SessionEntry } from '../../model/record.ts';
import type { ApprovalView } from '../../model/view.ts';

/** Questions to a person, and those of them that wait, by the key of the work that waits. */
export interface Approvals {
  all: ApprovalView[];
  waiting: Map<string, ApprovalView>;
}

/** The record that ends the work with the question's key is its answer. */
export function foldApprovals({ all, waiting }: Approvals, entry: SessionEntry): void {
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
}

export const toApprovalViews = ({ all }: Approvals, isRunning: boolean): ApprovalView[] =>
  isRunning ? all : all.map(one => (one.status === 'waiting' ? { ...one, status: 'over' as const } : one));

function toApproval({ at, seq, event }: Extract<SessionEntry, { kind: 'event' }>): ApprovalView {
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

type Ending = Extract<SessionEntry, { kind: 'hook.finished' | 'step.done' }>;

function answerOf(entry: Ending): Partial<ApprovalView> {
  const answered = answeredIn(entry);
  if (!answered) return { status: entry.kind === 'step.done' ? 'answered' : 'over' };
  const { action, message, by, at } = answered;
  return {
    status: 'answered',
    answer: action,
    ...(message && { message }),
    ...(by && { by }),
    ...(at !== undefined && !Number.isNaN(Date.parse(at)) && { at }),
  };
}

/** A hook's outcome, or what the loop kept of an agent's question. */
function answeredIn(entry: Ending): { action: string; message: string; by?: string; at?: string } | undefined {
  if (entry.kind === 'step.done') return holdsAll(entry.value, answerFields) ? (entry.value as never) : undefined;
  const outcome = entry.result.status === 'finished' ? entry.result.outcome : undefined;
  return outcome?.kind === 'answered' ? outcome : undefined;
}

const answerFields = fieldsOf('action:string', 'message:string', 'by:string?', 'at:string?');
