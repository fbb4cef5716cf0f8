import type { Action, FailurePolicy, HookDefinition } from '../../model/index.ts';
import type { ActionEntry } from './action-shapes.ts';

type Built = Pick<HookDefinition, 'name' | 'action' | 'wait' | 'timeoutMs' | 'onFailure' | 'onTimeout'> &
  Partial<HookDefinition>;

const defaults = {
  shell: { wait: false, timeout: 300, retries: 3 },
  webhook: { wait: false, timeout: 3600, retries: 0 },
  spawn: { wait: true, timeout: 3600, retries: 0 },
  prompt: { wait: true, timeout: 120, retries: 3 },
  agent: { wait: true, timeout: 120, retries: 3 },
} as const;

/** What one checked entry does and what its failure means. */
export function buildAction(kind: Action['kind'], entry: ActionEntry, via: 'sh' | 'bash'): Built {
  const byDefault = defaults[kind];
  const wait = entry.await ?? byDefault.wait;
  const timeout = entry.timeout ?? byDefault.timeout;
  const action = actionOf(kind, entry, via, wait);
  return {
    name: nameOf(action),
    action,
    wait,
    timeoutMs: timeout === 0 ? null : timeout * 1000,
    ...(action.kind === 'webhook' ? webhookPolicies(entry, wait) : policies(entry, wait, byDefault.retries)),
  };
}

function actionOf(kind: Action['kind'], entry: ActionEntry, via: 'sh' | 'bash', wait: boolean): Action {
  switch (kind) {
    case 'shell': {
      const command = entry.command ?? '';
      return { kind, command, run: { via, script: command }, cwd: 'root' };
    }
    case 'webhook':
      return {
        kind,
        url: entry.url ?? '',
        method: (entry.method ?? 'POST').toUpperCase(),
        headers: entry.headers ?? {},
        body: entry.body ?? {},
        approval: wait,
        callbackPort: entry.callback_port ?? 8765,
        ...(entry.callback_base_url !== undefined && { callbackBaseUrl: entry.callback_base_url }),
        ...(entry.question !== undefined && { question: entry.question }),
        ...(entry.title !== undefined && { title: entry.title }),
        onReject: entry.on_reject === 'continue' ? 'continue' : 'abort',
        ...(entry.secret !== undefined && { secret: entry.secret }),
        retries: entry.retries ?? 3,
      };
    case 'spawn':
      return {
        kind,
        pipeline: entry.pipeline ?? '',
        inputs: entry.inputs ?? {},
        ...(entry.isolate !== undefined && { isolate: 'worktree' }),
        inheritHooks: entry.inherit_hooks ?? false,
        passEnv: entry.pass_env ?? [],
      };
    case 'prompt':
    case 'agent':
      return { kind, prompt: entry.prompt ?? '' };
  }
}

/** Nobody waits for a detached action, so its failure cannot stop anything. */
function policies(
  entry: ActionEntry,
  wait: boolean,
  retries: number,
): Pick<Built, 'onFailure' | 'onTimeout' | 'retry'> {
  const policy: FailurePolicy = wait && entry.on_failure === 'abort' ? 'abort' : 'continue';
  const retry = { attempts: 1 + (entry.retries ?? retries), delayMs: (entry.retry_delay ?? 5) * 1000 };
  return { onFailure: policy, onTimeout: policy, ...(entry.on_failure === 'retry' && { retry }) };
}

/**
 * A question that could not be sent was not answered with yes: it aborts unless the file says otherwise. With
 * `on_reject: continue` a no must not abort, so there the unsent question is told apart by a setting.
 */
function webhookPolicies(entry: ActionEntry, wait: boolean): Pick<Built, 'onFailure' | 'onTimeout' | 'settings'> {
  if (!wait) return { onFailure: 'continue', onTimeout: 'continue' };
  const unsentAborts = entry.on_failure !== 'continue';
  const rejectedAborts = entry.on_reject !== 'continue';
  return {
    onFailure: unsentAborts && rejectedAborts ? 'abort' : 'continue',
    onTimeout: entry.on_timeout === 'continue' ? 'continue' : 'abort',
    ...(unsentAborts && !rejectedAborts && { settings: { unsent: 'abort' } }),
  };
}

function nameOf(action: Action): string {
  switch (action.kind) {
    case 'shell':
      return firstLine(action.command);
    case 'webhook':
      return `webhook ${hostOf(action.url)}`;
    case 'spawn':
      return `spawn ${action.pipeline}`;
    default:
      return `${action.kind}: ${firstLine(action.prompt)}`;
  }
}

function firstLine(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length === 0 ? first : `${first.trimEnd()} ...`;
}

/** Paths, queries and credentials of webhook URLs are often secret. */
const hostOf = (url: string): string =>
  url
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '');
