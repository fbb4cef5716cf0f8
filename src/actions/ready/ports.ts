import type { Pipes, Program, Running } from '../process/start.ts';

/** A process that was started before anybody knew what it is to run. */
export interface ReadyProcess {
  /** To be attached before it becomes something: a short program may be over before we hear that it has begun. */
  pipes: Pipes;
  /** undefined where it has not become this; it ends then. Contract: never rejects. */
  become(program: Program): Promise<Running | undefined>;
}

export interface ReadyProcesses {
  /** undefined where none waits. Contract: never throws. */
  take(): ReadyProcess | undefined;
}
