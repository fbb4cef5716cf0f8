import type { StepKey } from '../model/step-key.ts';
import type { Position } from './session.ts';

/** What an iteration talks about with the agent: where it is, its task, and the conversation it goes on with. */
export interface Talk {
  position: Position;
  /** The iteration's key. */
  key: StepKey;
  /** The conversation's id, where it is known from before. */
  conversation?: string;
  /** What the iteration is about, for an agent that has lost its memory of it. */
  prompt: string;
  /** The session is ending: it does not wait for an agent that is limited. */
  isLast?: true;
}
