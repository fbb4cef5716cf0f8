import type { StepKey } from '../model/step-key.ts';

/**
 * Thrown once, wherever a session finds its end, and caught where the session's last hooks are fired. Everything between
 * is written as if it always went on.
 */
export class SessionEnd extends Error {
  readonly status: 'failed' | 'interrupted';
  readonly because: EndDetails['because'];
  at: StepKey | undefined;
  constructor(status: 'failed' | 'interrupted', reason: string, { because, at }: EndDetails = {}) {
    super(reason);
    this.name = 'SessionEnd';
    this.status = status;
    this.because = because;
    this.at = at;
  }
}

interface EndDetails {
  /** `taken`: by another process. */
  because?: 'agent-unavailable' | 'journal' | 'taken';
  /** The work to do anew when the session is resumed. */
  at?: StepKey;
}
