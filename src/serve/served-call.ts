type Env = Readonly<Record<string, string | undefined>>;

/** One call of our program that was made elsewhere: its words, its standard input, and where it was made. */
export interface ServedCall {
  words: readonly string[];
  input: string;
  cwd: string;
  env: Env;
  /** The process that has started the caller; absent where no one knows. */
  parent?: number;
  /** Aborted when no one waits any more, or when serve has to end. One for both: making another takes time. */
  gone: AbortController;
}

export interface ServedAnswer {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Runs the command in this process. Contract: never rejects; the answer is the one the program itself would give. */
export type AnswerCall = (call: ServedCall) => Promise<ServedAnswer>;
