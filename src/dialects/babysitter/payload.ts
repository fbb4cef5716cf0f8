import type { EventName, HookEvent } from '../../model/index.ts';

/** The payload of the SDK's hook types: the event's fields under babysitter's names, unknown ones as they came. */
export function babysitterPayload({
  name,
  extra,
  facts: _facts,
  session,
  at,
  content,
  context,
  ...fields
}: HookEvent): string {
  return JSON.stringify({
    // The id under which a hook reports that it has done the task itself.
    ...(fields.taskId !== undefined && { effectId: fields.taskId, kind: 'agent' }),
    ...extra,
    runId: session ?? '',
    ...(at !== undefined && { timestamp: at }),
    ...(content !== undefined && { label: content }),
    ...(name in statuses && { status: statuses[name] }),
    ...fields,
    ...(context !== undefined && { context: withRun(context, session) }),
  });
}

/** Breakpoints name their run once more beside their files. */
const withRun = (context: unknown, session = ''): unknown =>
  typeof context === 'object' && context !== null && 'files' in context ? { runId: session, ...context } : context;

const statuses: { readonly [Name in EventName]?: string } = {
  'session.completed': 'completed',
  'session.failed': 'failed',
  'iteration.completed': 'completed',
  'iteration.failed': 'failed',
};
