import type { NotOpen, OpenSession } from '../loop/open.ts';
import type { Problem } from '../model/index.ts';
import type { Mask } from '../model/mask.ts';
import type { PersonSays, Watcher } from '../model/notice.ts';
import type { Context } from './context.ts';

/** What a session needs of whoever starts or resumes it: the command line, or a program. */
export interface SessionPorts extends Context {
  /** Flaws of the files that apply, before anything runs. */
  onProblem(problem: Problem): void;
  /** What else a person should know then. */
  onRemark(text: string): void;
  /** Who watches the session; asked for once it is ours. */
  watch(
    session: Pick<OpenSession, 'name' | 'plan' | 'settings' | 'stopWish'> & { mask: Mask },
  ): Report | Promise<Report>;
  /** Aborted: end the session. */
  stop: AbortSignal;
  /** Aborted: do not even wait for its last hooks. */
  atOnce: AbortSignal;
  /** The file that starts hookloop, for the tools of agents. */
  program: string;
}

/** Whoever shows a session to people or programs, and may answer for them. Contract: does not throw, does not block. */
export interface Report extends Watcher {
  ask(question: string, options?: { signal?: AbortSignal }): Promise<PersonSays>;
  /** An approval is no longer pending, whoever answered it. */
  settled(approval: string): void;
  /** Gives a terminal back as it was; remarks that come later are plain text. */
  close(): void;
}

/** Shows nothing and answers nothing: what a front end has no use for stays as it is here. */
export const silentReport: Report = {
  notice() {},
  remark() {},
  ask: async () => 'no-one',
  settled() {},
  close() {},
};

/** Why no session runs. `text` is for a person. */
export interface NotStarted {
  kind: 'not-started';
  why:
    | 'usage'
    | 'bad-config'
    | 'no-agent'
    | 'untrusted'
    | 'exists'
    | 'absent'
    | 'busy'
    | 'damaged'
    | 'finished'
    | 'lost'
    | 'failed';
  text: string;
  /** What of the request is wrong or missing, where it is one of these. */
  about?: 'name' | 'tasks' | 'agent';
}

export const notStarted = (why: NotStarted['why'], text: string, about?: NotStarted['about']): NotStarted => ({
  kind: 'not-started',
  why,
  text,
  ...(about && { about }),
});

/** Why a session cannot be had. */
export function notOpen(name: string, reason: NotOpen): NotStarted {
  switch (reason.kind) {
    case 'exists':
      return notStarted('exists', `session ${name} already exists; to continue it: hookloop resume ${name}`);
    case 'absent':
      return notStarted('absent', `there is no session ${name}; hookloop runs lists them`);
    case 'busy': {
      const who = reason.pid === undefined ? '' : ` (pid ${reason.pid})`;
      return notStarted('busy', `session ${name} is in use by another process${who}`);
    }
    case 'damaged': {
      const { line, reason: what } = reason.damage;
      return notStarted(
        'damaged',
        `the journal of ${name} is damaged in line ${line}: ${what}; see hookloop repair ${name}`,
      );
    }
    case 'finished':
      return notStarted('finished', `session ${name} is finished; hookloop show ${name} shows how it went`);
    case 'empty':
      return notStarted('failed', `${name} was never started: its journal is empty`);
    case 'lost':
    case 'failed':
      return notStarted(reason.kind, reason.reason);
  }
}
