import type {
  AskAction,
  FailurePolicy,
  FileAction,
  HookDefinition,
  Invocation,
  PollTemplate,
} from '../../model/index.ts';
import { given } from '../../model/json.ts';
import type { ActionEntry } from './action-shapes.ts';

type Built = Pick<HookDefinition, 'name' | 'action' | 'wait' | 'timeoutMs' | 'onFailure' | 'onTimeout'> &
  Partial<HookDefinition>;

const defaults = {
  shell: { wait: false, timeout: 300, retries: 3 },
  webhook: { wait: false, timeout: 3600, retries: 0 },
  await_poll: { wait: true, timeout: 3600, retries: 0 },
  spawn: { wait: true, timeout: 3600, retries: 0 },
  prompt: { wait: true, timeout: 120, retries: 3 },
  agent: { wait: true, timeout: 120, retries: 3 },
  judge: { wait: true, timeout: 120, retries: 3 },
  ask: { wait: true, timeout: 3600, retries: 0 },
  deny: { wait: true, timeout: 0, retries: 0 },
  tell: { wait: true, timeout: 0, retries: 0 },
} as const;

/** What one checked entry does and what its failure means. `run`: what a shell action starts. `isAwaited`: whether it is awaited where it does not say so itself. */
export function buildAction(
  entry: ActionEntry,
  run: Invocation | undefined,
  isAwaited: boolean = defaults[entry.type].wait,
): Built {
  const byDefault = defaults[entry.type];
  const wait = entry.await ?? isAwaited;
  const timeout = entry.timeout ?? byDefault.timeout;
  const action = actionOf(entry, run);
  return {
    name: entry.name ?? nameOf(action),
    action,
    wait,
    timeoutMs: timeout === 0 ? null : timeout * 1000,
    ...(action.kind === 'webhook' && action.approval
      ? questionPolicies(entry)
      : policies(entry, wait, action.kind === 'webhook' ? undefined : byDefault.retries)),
  };
}

function actionOf(entry: ActionEntry, run: Invocation | undefined): FileAction {
  const { type: kind } = entry;
  switch (kind) {
    case 'shell': {
      const command = entry.command ?? '';
      return { kind, command, run: run ?? { via: 'sh', script: command }, cwd: 'root' };
    }
    case 'webhook':
    case 'await_poll': {
      const isPoll = kind === 'await_poll';
      const poll = isPoll ? entry : entry.poll;
      return {
        kind: 'webhook',
        ...requestOf(isPoll ? {} : entry, entry.url ?? '', {}),
        // Only who says that an answer is awaited asks a question; else it is sent, and that is all.
        approval: isPoll || entry.await === true,
        ...(poll && { poll: pollOf(poll) }),
        ...(isPoll && { sends: false }),
        callbackPort: entry.callback_port ?? 8765,
        ...given({ callbackBaseUrl: entry.callback_base_url, question: entry.question }),
        ...given({ title: entry.title, actions: entry.actions }),
        onReject: entry.on_reject === 'continue' ? 'continue' : 'abort',
      };
    }
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
    case 'judge':
      return { kind, prompt: entry.prompt ?? '', ...(entry.tools === false && { tools: false }) };
    case 'ask':
      return {
        kind,
        question: entry.question ?? '',
        ...given({ title: entry.title, actions: entry.actions, callbackBaseUrl: entry.callback_base_url }),
        callbackPort: entry.callback_port ?? 8765,
        ...(entry.notify !== undefined && { notify: requestOf(entry, entry.notify, notice) }),
      };
    case 'deny':
    case 'tell':
      return { kind, text: entry.text ?? '' };
  }
}

/** What a person is told of a question where its hook says nothing else. */
const notice = { text: '${QUESTION}\n${CALLBACK_URL}' };

const pollOf = ({ url = '', headers = {}, every = 30, until = '', unless }: PollEntry): PollTemplate => ({
  ...{ url, headers, everyMs: every * 1000, until: until.trim() },
  ...given({ unless }),
});

type PollEntry = Partial<NonNullable<ActionEntry['poll']>>;

const requestOf = (entry: Omit<ActionEntry, 'type'>, url: string, body: unknown): NonNullable<AskAction['notify']> => ({
  url,
  method: (entry.method ?? 'POST').toUpperCase(),
  headers: entry.headers ?? {},
  body: entry.body ?? body,
  ...given({ secret: entry.secret }),
  retries: entry.retries ?? 3,
});

/** No one waits for a detached action, so its failure cannot stop anything. A webhook's retries are its sender's business. */
function policies(
  entry: ActionEntry,
  wait: boolean,
  retries: number | undefined,
): Pick<Built, 'onFailure' | 'onTimeout' | 'retry'> {
  const isRetried = entry.on_failure === 'retry';
  const aborts = entry.on_failure === 'abort' || (isRetried && entry.then === 'abort');
  const policy: FailurePolicy = wait && aborts ? 'abort' : 'continue';
  if (!isRetried || retries === undefined) return { onFailure: policy, onTimeout: policy };
  const retry = { attempts: 1 + (entry.retries ?? retries), delayMs: (entry.retry_delay ?? 5) * 1000 };
  return { onFailure: policy, onTimeout: policy, retry };
}

/**
 * A question that could not be sent was not answered with yes: it aborts unless the file says otherwise. With
 * `on_reject: continue` a no must not abort, so there the unsent question is told apart by a setting.
 */
function questionPolicies(entry: ActionEntry): Pick<Built, 'onFailure' | 'onTimeout' | 'settings'> {
  const unsentAborts = entry.on_failure !== 'continue';
  const rejectedAborts = entry.on_reject !== 'continue';
  return {
    onFailure: unsentAborts && rejectedAborts ? 'abort' : 'continue',
    onTimeout: entry.on_timeout === 'continue' ? 'continue' : 'abort',
    ...(unsentAborts && !rejectedAborts && { settings: { unsent: 'abort' } }),
  };
}

function nameOf(action: FileAction): string {
  switch (action.kind) {
    case 'shell':
      return firstLine(action.command);
    case 'webhook':
      return `webhook ${hostOf(action.url)}`;
    case 'spawn':
      return `spawn ${action.pipeline}`;
    case 'ask':
      return `ask: ${firstLine(action.question)}`;
    case 'deny':
    case 'tell':
      return `${action.kind}: ${firstLine(action.text)}`;
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
