import type { SessionBrief, SessionView } from './view.ts';

/** A command that a person may want next. */
export interface NextStep {
  command: string;
  meaning: string;
  /** It has to run in the project. */
  isLocal: boolean;
}

export function nextSteps(view: SessionView): NextStep[] {
  const { session, status, approvals, children } = view;
  const goOn = goOnStep(view);
  const [child] = children;
  return [
    ...(goOn ? [goOn] : []),
    ...(approvals.some(approval => approval.status === 'waiting')
      ? [{ command: 'hookloop approvals', meaning: 'what waits for a person', isLocal: false }]
      : []),
    ...(view.hooksRefused > 0 ? [local(`hookloop why ${session}`, 'explains the last refusal')] : []),
    ...logSteps(session, status),
    ...(child ? [local(`hookloop show ${child.session}`, 'a child')] : []),
  ];
}

function logSteps(session: string, status: SessionView['status']): NextStep[] {
  if (status === 'lost') return [];
  return status === 'running'
    ? [local(`hookloop log ${session} --follow`, 'watches it')]
    : [local(`hookloop log ${session}`, 'every event, and what every hook printed')];
}

/** What resumes a session that has not come to its end. Children go on with their parents. */
export function goOnStep({ session, status, startedAt, unreadable }: SessionBrief): NextStep | undefined {
  if (unreadable) return undefined;
  if (status === 'damaged') return local(`hookloop repair ${session}`, 'keeps the good part of its journal');
  const isOpen = ['failed', 'stopped', 'interrupted', 'crashed'].includes(status) && startedAt !== undefined;
  return isOpen && !session.includes('/')
    ? local(`hookloop resume ${session}`, 'continues where it stopped')
    : undefined;
}

const local = (command: string, meaning: string): NextStep => ({ command, meaning, isLocal: true });
