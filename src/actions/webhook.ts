import type { ActionOutcome, ActionRun, RunAction, WebhookAction } from '../model/index.ts';
import { version } from '../platform/build.ts';
import type { ApprovalPort } from './webhook/approval-port.ts';
import { ask } from './webhook/ask.ts';
import type { Lookup } from './webhook/connect.ts';
import { type Delivery, deliver } from './webhook/deliver.ts';
import { deliveryId } from './webhook/delivery-id.ts';
import type { Filled } from './webhook/fill-url.ts';
import { createLanes, type Lanes } from './webhook/lanes.ts';
import { toOutcome } from './webhook/outcome.ts';
import { questionOf } from './webhook/question.ts';
import { reachOf } from './webhook/reach.ts';
import { fillRequest, type WebhookRequest } from './webhook/request.ts';
import type { Sign } from './webhook/signature.ts';
import { createValues, type Values } from './webhook/values.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface WebhookRunnerOptions {
  env: Env;
  /** Values of the user's secrets files; asked for when a name is not the event's. */
  secrets: () => Readonly<Record<string, string>>;
  /** Names the session: with a run's key it makes the delivery's id, which a crash does not change. */
  seed: string;
  warn?: (text: string) => void;
  /** Without it an awaited webhook cannot run. */
  approvals?: ApprovalPort;
  lookup?: Lookup;
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string;
}

/** More connections to one receiver than this would not make it faster. */
const connectionsPerReceiver = 64;

export function createWebhookRunner(options: WebhookRunnerOptions): RunAction<'webhook'> {
  const lanes = createLanes(connectionsPerReceiver);
  return async (action, run) => {
    if (run.signal.aborted) return { kind: 'cancelled' };
    try {
      return await (action.approval ? approve(action, run, options, lanes) : notify(action, run, options, lanes));
    } catch (error) {
      // Not the message: it may hold the URL.
      return { kind: 'not-started', reason: `it broke while being sent: ${(error as Error).name}` };
    }
  };
}

async function notify(
  action: WebhookAction,
  run: ActionRun,
  options: WebhookRunnerOptions,
  lanes: Lanes,
): Promise<ActionOutcome> {
  const values = valuesFor(run, options);
  const prepared = await prepare(action, run, values);
  warnOfMissing(values, run, options);
  if (prepared.kind === 'flaw') return { kind: 'not-started', reason: prepared.reason };
  const delivery = await sendPrepared(prepared.value, action, run, options, lanes, run.signal);
  return toOutcome(delivery, prepared.value.request, { ...options, filledIn: values.secret() });
}

async function approve(
  action: WebhookAction,
  run: ActionRun,
  options: WebhookRunnerOptions,
  lanes: Lanes,
): Promise<ActionOutcome> {
  if (options.approvals === undefined) return { kind: 'not-started', reason: 'approvals are not available here' };
  // What is wrong whatever the callback URL will be shows before anybody is asked.
  const rehearsed = await prepare(action, run, valuesFor(run, options, 'http://127.0.0.1/callback/id/token'));
  if (rehearsed.kind === 'flaw') return { kind: 'not-started', reason: rehearsed.reason };
  let used = valuesFor(run, options);
  const { open } = options.approvals;
  const told: ApprovalPort = {
    async open(request) {
      const opened = await open(request);
      if (opened.kind === 'open') run.onCallbackUrl?.(opened.callbackUrl);
      return opened;
    },
  };
  const asked = await ask(
    told,
    {
      ...(run.key !== undefined && { key: run.key }),
      hook: run.hook,
      event: run.event,
      ...questionOf(action, run.presentation.env),
      ...(action.actions && { actions: action.actions }),
      port: action.callbackPort,
      ...(action.callbackBaseUrl !== undefined && { baseUrl: action.callbackBaseUrl }),
      deadlineMs: run.timeoutMs,
    },
    async (callbackUrl, signal) => {
      used = valuesFor(run, options, callbackUrl);
      const prepared = await prepare(action, run, used);
      warnOfMissing(used, run, options);
      if (prepared.kind === 'flaw') return { kind: 'failed', reason: prepared.reason };
      return sendPrepared(prepared.value, action, run, options, lanes, signal);
    },
    run.signal,
  );
  if (asked.kind === 'outcome') return asked.outcome;
  const { delivery } = asked;
  // Nobody has the question, so this is not the time-out of an answer.
  if (delivery.kind === 'timed-out') return { kind: 'not-started', reason: `${delivery.reason}; time is up` };
  return toOutcome(delivery, rehearsed.value.request, { ...options, filledIn: used.secret() });
}

const valuesFor = (run: ActionRun, { secrets, env }: WebhookRunnerOptions, callbackUrl?: string): Values =>
  createValues({ event: run.presentation.env, secrets, env, ...(callbackUrl !== undefined && { callbackUrl }) });

interface Prepared {
  request: WebhookRequest;
  sign?: Sign;
}

async function prepare(action: WebhookAction, run: ActionRun, values: Values): Promise<Filled<Prepared>> {
  const filled = fillRequest(action, values, reachOf(run.hook.source.scope));
  if (filled.kind === 'flaw') return filled;
  const headers = { 'user-agent': `hookloop/${version}`, ...filled.value.headers };
  const request = { ...filled.value, headers };
  if (request.secret === undefined) return { kind: 'filled', value: { request } };
  const { createSign } = await import('./webhook/signature.ts');
  const sign = createSign(request.secret);
  return sign === undefined
    ? { kind: 'flaw', reason: 'its secret is not one of Standard Webhooks (whsec_ and base64)' }
    : { kind: 'filled', value: { request, sign } };
}

const sendPrepared = (
  { request, sign }: Prepared,
  { retries }: WebhookAction,
  run: ActionRun,
  { seed, lookup, ca }: WebhookRunnerOptions,
  lanes: Lanes,
  signal: AbortSignal,
): Promise<Delivery> =>
  deliver({
    request,
    id: deliveryId(seed, run.key),
    ...(sign && { sign }),
    retries,
    timeoutMs: run.timeoutMs,
    signal,
    ...(run.memory && { memory: run.memory }),
    connecting: {
      reach: reachOf(run.hook.source.scope),
      ...(lookup && { lookup }),
      ...(ca !== undefined && { ca }),
    },
    lanes,
  });

function warnOfMissing(values: Values, { hook }: ActionRun, { warn }: WebhookRunnerOptions): void {
  for (const name of values.missing()) {
    const why = name === 'CALLBACK_URL' ? 'is there only for awaited webhooks' : 'has no value';
    warn?.(`${hook.name}: \${${name}} ${why}, so it is empty`);
  }
}
