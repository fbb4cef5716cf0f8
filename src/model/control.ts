/** What programs beside the loop may ask a running session: the agent's tools, and the commands of a person. */
export type ControlRequest =
  | { method: 'task.add'; content: string }
  | { method: 'task.list' }
  | { method: 'task.start'; id: string }
  | { method: 'task.done'; id: string; summary?: string }
  | { method: 'task.drop'; id: string; reason?: string }
  /** A hook has done the task itself, or could not. `value` is JSON. */
  | { method: 'task.post'; id: string; status: 'ok' | 'error'; value?: string; error?: string }
  | { method: 'score'; score: number; target?: number }
  | { method: 'approval'; question: string; title?: string; files?: readonly string[] }
  /** A call of the agent's own hook system, as it came. */
  | { method: 'host'; agent: string; event?: string; input: string }
  | { method: 'finish'; decision: 'continue' | 'stop' | 'error'; reason?: string; summary?: string };

/** `refused`: hooks said no, or it cannot be; the reason is for whoever asked. */
export type ControlReply = { kind: 'ok'; value: unknown } | { kind: 'refused'; reason: string };

/**
 * Contract: never rejects. The signal is aborted when whoever asked has gone. `from` is the key of the hook's run in which
 * it is asked, where it is one.
 */
export type AnswerControl = (request: ControlRequest, signal: AbortSignal, from?: string) => Promise<ControlReply>;

/** Tells a hook's process, and what it starts, the key of its run. */
export const hookVariable = 'HOOKLOOP_HOOK';
