import type { SessionStatus } from '../model/record.ts';
import type { StepKey } from '../model/step-key.ts';
import type { StopWish } from './stop-wish.ts';

/**
 * Thrown once, wherever a session finds its end, and caught where the session's last hooks are fired. Everything between
 * is written as if it always went on.
 */
export class SessionEnd extends Error {
  readonly status: EndStatus;
  readonly because: EndDetails['because'];
  at: StepKey | undefined;
  constructor(status: EndStatus, reason: string, { because, at }: EndDetails = {}) {
    super(reason);
    this.name = 'SessionEnd';
    this.status = status;
    this.because = because;
    this.at = at;
  }
}

type EndStatus = Exclude<SessionStatus, 'completed'>;

interface EndDetails {
  /** `taken`: by another process. */
  because?: 'agent-unavailable' | 'journal' | 'taken' | 'budget' | 'no-progress';
  /** The work to do anew when the session is resumed. */
  at?: StepKey;
}

/** Someone has asked for the end, or a signal has. */
export const endedIn = ({ stopWish }: { stopWish: StopWish }, where: string): SessionEnd =>
  stopWish.signal.aborted ? new SessionEnd('stopped', `as asked, ${where}`) : new SessionEnd('interrupted', where);

/** Contract: throws where someone wants the session to stop at this point. */
export function stopIfDue({ stopWish }: { stopWish: StopWish }, at: 'turn' | 'task'): void {
  if (stopWish.isDue(at))
    throw new SessionEnd('stopped', at === 'turn' ? 'as asked, after a turn' : 'as asked, between two tasks');
}
