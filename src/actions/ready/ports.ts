import type { Program, Running } from '../process/start.ts';
import type { OpenFile } from '../spill.ts';

/** A process that was started before anybody knew what it is to run. */
export interface ReadyProcess {
  /** Open for whoever writes its input, before it becomes something. Whoever takes the process closes it. */
  stdin: number;
  stdout: OpenFile;
  stderr: OpenFile;
  /** undefined where it has not become this; it ends then. Contract: never rejects. */
  become(program: Program): Promise<Running | undefined>;
  /** Ends it unused. Its files are left to whoever has taken it. */
  end(): void;
}

export interface ReadyProcesses {
  /** undefined where none waits. Contract: never throws. */
  take(): ReadyProcess | undefined;
}
