import type { EventFields, HookDefinition, HookEvent, Places } from '../../model/index.ts';

/** The JSON a hook reads on stdin: its own spelling of the event, the fields that are there, and foreign fields untouched. */
export function toContext(event: HookEvent, hook: HookDefinition, places: Places): string {
  const own: Record<string, unknown> = { event: hook.spelling, cwd: event.cwd ?? places.root };
  for (const [field, names] of Object.entries(namesOf))
    for (const name of names)
      if (event[field as keyof EventFields] !== undefined) own[name] = event[field as keyof EventFields];
  if (event.name === 'prompt.submitting' && event.message !== undefined) own['prompt'] = event.message;
  if (event.name === 'tool.called' || event.name === 'tool.failed') own['success'] = event.name === 'tool.called';
  // Spreading defines properties and never assigns them, so a foreign `__proto__` stays a plain key.
  return `${stringify({ ...event.extra, ...own })}\n`;
}

const namesOf: Record<Exclude<keyof EventFields, 'cwd'>, readonly string[]> = {
  session: ['session', 'session_id'],
  at: ['timestamp'],
  agent: ['agent'],
  role: ['role'],
  stage: ['stage'],
  nextStage: ['next_stage'],
  iteration: ['iteration'],
  maxIterations: ['max_iterations'],
  lastDecision: ['last_decision'],
  decidedBy: ['decided_by'],
  progress: ['progress'],
  statusFile: ['status_file'],
  contextFile: ['context_file'],
  changedFiles: ['changed_files'],
  stageOutputs: ['stage_outputs'],
  error: ['error'],
  taskId: ['task_id'],
  content: ['task_content', 'task_subject'],
  tool: ['tool_name'],
  input: ['tool_args', 'tool_input'],
  output: ['output', 'tool_output'],
  toolCallId: ['tool_call_id'],
  file: ['file', 'file_path'],
  score: ['score'],
  target: ['target'],
  title: ['title'],
  question: ['question'],
  context: ['context'],
  message: ['message'],
  again: ['stop_hook_active'],
  duration: ['duration'],
  status: ['status'],
};

/** A caller of the library may put in what JSON cannot hold (a cycle, a bigint): such fields are left out. */
function stringify(fields: Record<string, unknown>): string {
  return (
    asJson(fields) ?? JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([, value]) => asJson(value))))
  );
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
