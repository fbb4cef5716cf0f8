import type { McpServer } from './mcp-server.ts';

/** How a shell action starts: a script handed to a shell, or a program run directly with its arguments. */
export type Invocation =
  /** `plain`: variables that the script uses as code, and what each must be when it runs. */
  | { via: 'sh' | 'bash'; script: string; plain?: Readonly<Record<string, 'id' | 'number'>> }
  | { via: 'exec'; file: string; args: readonly string[] };

/** `command` is what the author wrote; `run` is what starts, with placeholders turned into variable references. */
export interface ShellAction {
  kind: 'shell';
  command: string;
  run: Invocation;
  cwd: 'root' | 'caller';
}

export interface WebhookAction {
  kind: 'webhook';
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** An awaited webhook waits for a person's answer at the callback URL. */
  approval: boolean;
  callbackPort: number;
  callbackBaseUrl?: string;
  question?: string;
  title?: string;
  onReject: 'abort' | 'continue';
  /** Words an answer may use beside the known ones. */
  actions?: AnswerWords;
  secret?: string;
  retries: number;
  /** It is sent what a script would read on stdin, and its answer is one; only these variables are filled in. */
  posts?: { variables: readonly string[] };
  /** Asks a server for the answer, beside the callback URL. */
  poll?: PollTemplate;
  /** Nothing is sent: the server that is polled knows the question. */
  sends?: false;
}

/** `until` and `unless` are conditions in CEL over `response`: the first approves, the second rejects. */
export interface PollTemplate {
  url: string;
  headers: Readonly<Record<string, string>>;
  everyMs: number;
  until: string;
  unless?: string;
}

/** A call of a tool of an MCP server. */
export interface McpToolAction {
  kind: 'mcp_tool';
  server: string;
  tool: string;
  /** `${tool_input.file_path}` in its texts stands for a field of what a script would read on stdin. */
  input: unknown;
  /** As the project's own file has it; absent: one of the user's. */
  reached?: McpServer;
}

export interface SpawnAction {
  kind: 'spawn';
  pipeline: string;
  inputs: Readonly<Record<string, unknown>>;
  isolate?: 'worktree';
  inheritHooks: boolean;
  passEnv: readonly string[];
}

/** A question to a model about the event. `agent` and `judge` may look around first, the latter unless it has no tools. */
export interface JudgeAction {
  kind: 'prompt' | 'agent' | 'judge';
  prompt: string;
  tools?: false;
}

/** A question to a person, who is told of it by `notify` where there is one. */
export interface AskAction {
  kind: 'ask';
  question: string;
  title?: string;
  actions?: AnswerWords;
  callbackPort: number;
  callbackBaseUrl?: string;
  notify?: Pick<WebhookAction, 'url' | 'method' | 'headers' | 'body' | 'secret' | 'retries'>;
}

/** Decided in the engine, without a process: `deny` refuses with its text, `tell` gives it to the agent. */
export interface RuleAction {
  kind: 'deny' | 'tell';
  text: string;
}

/** A function of the program that uses the library; which one, only that program knows. */
export interface FunctionAction {
  kind: 'function';
}

/** What hook files of more than one dialect can ask for. */
export type FileAction = ShellAction | WebhookAction | SpawnAction | JudgeAction | AskAction | RuleAction;
export type Action = FileAction | McpToolAction | FunctionAction;
export type ActionKind = Action['kind'];

export const isJudge = (action: Action): action is JudgeAction =>
  action.kind === 'judge' || action.kind === 'agent' || action.kind === 'prompt';

/** Puts values in place of `${NAME}`. Names that have none stay as they are: a text may show shell commands. */
export const fillNames = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  );

/** What a process printed, decoded once. Long output keeps head and tail; `truncated` names the files that have all of it. */
export interface Output {
  stdout: string;
  stderr: string;
  truncated?: { stdoutBytes: number; stderrBytes: number; stdoutFile?: string; stderrFile?: string };
}

/** What happened when an action ran. Facts only; what they mean is the dialect's business. */
export type ActionOutcome =
  | ({ kind: 'exited'; exitCode: number } & Output)
  | ({ kind: 'killed'; signal: string } & Output)
  | ({ kind: 'timed-out'; afterMs: number } & Output)
  | { kind: 'cancelled' }
  /** `ends`: without it the session cannot go on, whatever the hook's own policy is. */
  | { kind: 'not-started'; reason: string; ends?: true }
  | { kind: 'replied'; status: number; body: string }
  /** `by`: in which way, and who where it is known, as in `ana with hookloop approve`. `at`: ISO time. */
  | { kind: 'answered'; action: string; message: string; response: unknown; by?: string; at?: string }
  | { kind: 'child-finished'; succeeded: boolean; output: string }
  | { kind: 'judged'; ok: boolean; reason: string }
  /** A judge was asked, and nothing it said can be taken for an answer. */
  | { kind: 'no-answer'; reason: string }
  /** A question that is left to the caller: an agent that asks its own user, or a command that asks no one. */
  | { kind: 'left-open'; question: string }
  /** What a rule says, filled in. */
  | { kind: 'ruled'; text: string };

/** What a person, or a program in their place, has answered. Later actions see `response`, the whole answer, in HOOK_RESPONSE. */
export type ApprovalAnswer = Extract<ActionOutcome, { kind: 'answered' }> & { at: string };

/** What a person's answer to a question means. */
export type AnswerMeaning = 'approve' | 'reject';

/** Words that a hook takes beside the known ones, as in `actions: { ship: approve, hold: reject }`. */
export type AnswerWords = Readonly<Record<string, AnswerMeaning>>;

const knownWords = {
  approve: ['approve', 'approved', 'continue', 'ok', 'yes'],
  reject: ['reject', 'rejected', 'abort', 'deny', 'denied', 'decline', 'stop', 'cancel', 'no'],
} as const satisfies Record<AnswerMeaning, readonly string[]>;

/** undefined: the word is no answer, and nothing may go on because of it. A word with both meanings is a no. */
export function meaningOf(word: string, own: AnswerWords = {}): AnswerMeaning | undefined {
  const words = acceptedWords(own);
  const said = foldWord(word);
  if (words.reject.includes(said)) return 'reject';
  return words.approve.includes(said) ? 'approve' : undefined;
}

/** Every word that is an answer, the hook's own before the known ones. */
export function acceptedWords(own: AnswerWords = {}): Record<AnswerMeaning, string[]> {
  const all = (meaning: AnswerMeaning): string[] => [
    ...new Set([...ownWords(own, meaning).map(foldWord), ...knownWords[meaning]]),
  ];
  return { approve: all('approve'), reject: all('reject') };
}

/** A hook's own words with one meaning, as its file writes them. */
export const ownWords = (own: AnswerWords, meaning: AnswerMeaning): string[] =>
  Object.keys(own).filter(word => own[word] === meaning);

/** What is wrong with one entry of `actions`; undefined where nothing is. */
export function ownWordFlaw(word: string, meaning: unknown): string | undefined {
  if (!/^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,38}[\p{L}\p{N}])?$/u.test(word))
    return 'a word has at most 40 letters, digits, spaces, dots, dashes or underscores';
  if (meaning !== 'approve' && meaning !== 'reject') return 'a word means approve or reject';
  const known = meaningOf(word);
  return known === undefined || known === meaning ? undefined : `${word} always means ${known}`;
}

export const foldWord = (word: string): string => word.trim().toLowerCase();
