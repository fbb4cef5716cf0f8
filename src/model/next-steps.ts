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
    ...checkpointSteps(view),
    ...(child ? [local(`hookloop show ${child.session}`, 'a child')] : []),
  ];
}

/** What people want to see, or to be rid of, when it is over. */
const checkpointSteps = ({ session, status, checkpoints }: SessionView): NextStep[] =>
  status === 'running' || checkpoints.length < 2
    ? []
    : [
        local(`hookloop diff ${session}`, 'what it changed'),
        local(`hookloop undo ${session}`, 'puts the files back; --to N: only to checkpoint N'),
      ];

function logSteps(session: string, status: SessionView['status']): NextStep[] {
  if (status === 'lost') return [];
  return status === 'running'
    ? [local(`hookloop log ${session} --follow`, 'watches it')]
    : [local(`hookloop log ${session}`, 'every event, and what every hook printed')];
}

/** What resumes a session that has not come to its end. Children go on with their parents. */
export function goOnStep({ session, status, startedAt, unreadable, tasksFailed }: SessionBrief): NextStep | undefined {
  if (unreadable) return undefined;
  if (status === 'damaged') return local(`hookloop repair ${session}`, 'keeps the good part of its journal');
  const isOpen = ['failed', 'stopped', 'interrupted', 'crashed'].includes(status) && startedAt !== undefined;
  return isOpen && !session.includes('/')
    ? local(
        `hookloop resume ${session}`,
        status === 'failed' && tasksFailed > 0 ? 'tries the failed tasks again' : 'continues where it stopped',
      )
    : undefined;
}

const local = (command: string, meaning: string): NextStep => ({ command, meaning, isLocal: true });
