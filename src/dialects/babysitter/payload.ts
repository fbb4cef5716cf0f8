import type { EventName, HookEvent } from '../../model/index.ts';

/** The payload of the SDK's hook types: the event's fields under babysitter's names, unknown ones as they came. */
export function babysitterPayload({ name, extra, session, at, content, ...fields }: HookEvent): string {
  return JSON.stringify({
    ...extra,
    runId: session ?? '',
    ...(at !== undefined && { timestamp: at }),
    ...(content !== undefined && { label: content }),
    ...(name in statuses && { status: statuses[name] }),
    ...fields,
  });
}

const statuses: { readonly [Name in EventName]?: string } = {
  'session.completed': 'completed',
  'session.failed': 'failed',
  'iteration.completed': 'completed',
  'iteration.failed': 'failed',
};
