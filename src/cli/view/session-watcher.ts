import type { Watcher } from '../../model/notice.ts';

/** Whoever shows a session to a person, and can ask that person something. */
export interface SessionWatcher extends Watcher {
  /** A yes or no from the person at the terminal; `nobody` where there is none. */
  ask(question: string, options?: { signal?: AbortSignal }): Promise<Asked>;
  /** An approval no longer waits, whoever answered it. */
  settled(approval: string): void;
  /** Gives the terminal back as it was; remarks that come later are plain text. */
  close(): void;
}

export type Asked = 'yes' | 'no' | 'nobody';

/** Takes a person's answer to an approval; a rejected promise says that it was not taken. */
export type AnswerApproval = (approval: string, answer: 'approve' | 'reject') => unknown;

/** For whoever runs with `--permissions ask` where there is no terminal, or none whose keys can be read. */
export const sayNobodyAsks = ({ remark }: Watcher): void =>
  remark({
    level: 'warning',
    text: '--permissions ask: it needs a terminal and nobody can be asked here, so every call that the agent asks about is refused',
  });
