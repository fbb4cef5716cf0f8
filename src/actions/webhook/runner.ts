import { createMask } from '../../hooks/secrets/create-mask.ts';
import type { ActionOutcome, ActionRun, ActionRunners, WebhookAction } from '../../model/index.ts';
import { fieldsOf } from '../../model/json.ts';
import { joinSignals } from '../../platform/cancel.ts';
import type { ApprovalPort, OpenApproval } from './approval.ts';
import { type Connections, type Delivery, deliver, limitConnections } from './deliver.ts';
import { createValues, type Filled, fillText, type Values } from './fill.ts';
import { fillPoll, pollAnswer } from './poll.ts';
import { postEvent } from './post-event.ts';
import {
  deliveryId,
  fillRequest,
  type RequestTemplate,
  reachOf,
  type SendOptions,
  tellingParts,
  type WebhookRequest,
} from './request.ts';
import type { ReplyBody } from './send.ts';

export interface WebhookRunnerOptions extends SendOptions {
  /** Without it an awaited webhook cannot run. */
  approvals?: ApprovalPort;
}

/** More connections to one receiver than this would not make it faster. */
const connectionsPerReceiver = 64;

/** Runs webhooks, and questions to people, who may be told of them by one. */
export function createWebhookRunner(options: WebhookRunnerOptions): Required<Pick<ActionRunners, 'webhook' | 'ask'>> {
  const connections = limitConnections(connectionsPerReceiver);
  const guarded = async (run: ActionRun, work: () => Promise<ActionOutcome>): Promise<ActionOutcome> => {
    if (run.signal.aborted) return { kind: 'cancelled' };
    try {
      return await work();
    } catch (error) {
      // Not the message: it may hold the URL.
      return notStarted(`sending it failed: ${(error as Error).name}`);
    }
  };
  return {
    webhook: (action, run) =>
      guarded(run, () => {
        if (action.posts) return postEvent(action, action.posts, run, options, connections);
        const job = { request: action, run, options, connections };
        if (!action.approval) return notify(job);
        const sent = action.sends === false ? { ...job, request: undefined } : job;
        return approve(sent, action, questionOf(action, run.presentation.env));
      }),
    ask: (action, run) =>
      guarded(run, () => {
        const asked = questionOf({ ...action, body: {} }, run.presentation.env);
        const presentation = { ...run.presentation, env: { ...run.presentation.env, QUESTION: asked.question } };
        return approve({ request: action.notify, run: { ...run, presentation }, options, connections }, action, asked);
      }),
  };
}

/** One run of one webhook; without a request no one is told of its question but the terminal and the page. */
interface Job<Sent = RequestTemplate> {
  request: Sent;
  run: ActionRun;
  options: WebhookRunnerOptions;
  connections: Connections;
}

const notStarted = (reason: string): ActionOutcome => ({ kind: 'not-started', reason });

async function notify(job: Job): Promise<ActionOutcome> {
  const { values, filled } = fill(job);
  warnOfMissing(values, job);
  if (filled.kind === 'flaw') return notStarted(filled.reason);
  return toOutcome(await send(filled.value, job, job.run.signal), filled.value, values, job);
}

/**
 * Opens an approval, then sends the question, then waits. An answer counts from the first moment on, also while sending
 * still tries; a question that could not be sent is closed.
 */
async function approve(
  { request, ...rest }: Job<RequestTemplate | undefined>,
  action: Pick<WebhookAction, 'actions' | 'callbackPort' | 'callbackBaseUrl' | 'poll'>,
  asked: { question: string; title?: string },
): Promise<ActionOutcome> {
  const { run, options } = rest;
  const { approvals } = options;
  if (approvals === undefined) return notStarted('approvals are not available here');
  const job = request && { ...rest, request };
  // What is wrong whatever the callback URL will be shows before anyone is asked.
  const rehearsed = job && fill(job, 'http://127.0.0.1/callback/id/token').filled;
  if (rehearsed?.kind === 'flaw') return notStarted(rehearsed.reason);
  const { poll } = action;
  const polled = poll && fillPoll(poll, run, options);
  if (polled?.kind === 'flaw') return notStarted(polled.reason);
  const approval = await approvals.open({
    ...(run.key !== undefined && { key: run.key }),
    hook: run.hook,
    event: run.event,
    ...asked,
    ...(action.actions && { actions: action.actions }),
    port: action.callbackPort,
    ...(action.callbackBaseUrl !== undefined && { baseUrl: action.callbackBaseUrl }),
    deadlineMs: run.timeoutMs,
  });
  if (approval.kind === 'failed') return notStarted(`no one can be asked: ${approval.reason}`);
  // Also where the question need not be sent.
  run.onCallbackUrl?.(approval.callbackUrl);
  const [sending, waiting] = [joinSignals(run.signal), joinSignals(run.signal)];
  const answer = approval.wait(waiting.signal);
  /** Before the question has arrived no server knows the answer. */
  const answerOnceSent = (): typeof answer => {
    if (poll && polled && !approval.isSettled)
      void pollAnswer(polled.value, { ...action, poll }, approval, { run, options, signal: waiting.signal });
    return answer;
  };
  try {
    if (approval.sent || approval.isSettled || !job || !rehearsed)
      return answerOutcome(await answerOnceSent(), run, approval.sent || !job);
    const { values, filled } = fill(job, approval.callbackUrl);
    warnOfMissing(values, job);
    const sent: Promise<Delivery> | Delivery =
      filled.kind === 'flaw' ? { kind: 'failed', reason: filled.reason } : send(filled.value, job, sending.signal);
    const first = await Promise.race([sent, answer]);
    // `cancelled` is the same in both: whoever waited and whoever sent was told to stop.
    if (first.kind === 'answered' || first.kind === 'expired') return answerOutcome(first, run, false);
    if (first.kind === 'replied' && first.status >= 200 && first.status < 300) {
      await approval.markSent();
      return answerOutcome(await answerOnceSent(), run, true);
    }
    if (first.kind !== 'cancelled') await approval.close('it could not be sent');
    waiting.abort();
    // An answer that came in the last moment is still one.
    const last = await answer;
    if (last.kind === 'answered') return answerOutcome(last, run, true);
    // No one has the question, so this is not the time-out of an answer.
    if (first.kind === 'timed-out') return notStarted(`${first.reason}; time ran out`);
    return toOutcome(first, rehearsed.value, values, job);
  } finally {
    for (const joined of [sending, waiting]) {
      joined.abort();
      joined.clear();
    }
  }
}

/** What people are asked: the hook's own question, else the text of its body, else its title. It is journalled and shown, so it tells nothing secret. */
function questionOf(
  { question, title, body }: Pick<WebhookAction, 'question' | 'title' | 'body'>,
  event: Readonly<Record<string, string>>,
): { question: string; title?: string } {
  // Only the event's values; whatever the user keeps under another name stays hidden.
  const textOf = (name: string): string =>
    Object.hasOwn(event, name) && name !== 'CALLBACK_URL' ? event[name]! : '***';
  const fill = (template: string): string =>
    fillText(template, { of: name => ({ text: textOf(name), from: 'event' }) });
  const said = fieldsOf(body);
  const asked = [question, said['text'], said['question'], said['title']].find(isSaid);
  if (asked === undefined && isSaid(title)) return { question: fill(title) };
  return {
    question: asked === undefined ? 'Approve?' : fill(asked),
    ...(title !== undefined && { title: fill(title) }),
  };
}

const isSaid = (text: unknown): text is string => typeof text === 'string' && text.trim() !== '';

/** A question that ran out of time before anyone had it, or that was taken back, counts as not asked. */
function answerOutcome(
  ended: Awaited<ReturnType<OpenApproval['wait']>>,
  { signal, timeoutMs }: ActionRun,
  wasSent: boolean,
): ActionOutcome {
  if (ended.kind === 'cancelled') return signal.aborted ? ended : notStarted('the question was withdrawn');
  if (ended.kind === 'answered') {
    const { kind, action, message, response, by, at } = ended;
    return { kind, action, message, response, ...(by !== undefined && { by }), at };
  }
  if (!wasSent) return notStarted('its time ran out before it could be sent');
  return { kind: 'timed-out', afterMs: timeoutMs ?? 0, stdout: '', stderr: '' };
}

function fill(
  { request, run, options }: Job,
  callbackUrl?: string,
): { values: Values; filled: Filled<WebhookRequest> } {
  const { secrets, env } = options;
  const values = createValues({ event: run.presentation.env, secrets, env, callbackUrl });
  return { values, filled: fillRequest(request, values, reachOf(run.hook.source.scope)) };
}

const send = (filled: WebhookRequest, { request, run, options, connections }: Job, signal: AbortSignal) =>
  deliver({
    request: filled,
    id: deliveryId(options.seed, run.key),
    retries: request.retries,
    timeoutMs: run.timeoutMs,
    signal,
    memory: run.memory,
    connecting: { reach: reachOf(run.hook.source.scope), lookup: options.lookup, ca: options.ca },
    connections,
  });

function warnOfMissing(values: Values, { run, options }: Job): void {
  for (const name of values.missing()) {
    const why = name === 'CALLBACK_URL' ? 'is available only for awaited webhooks' : 'has no value';
    options.warn?.(`${run.hook.name}: \${${name}} ${why}, so it is empty`);
  }
}

/** A delivery as an outcome. A receiver may send back all it was sent, so its answer is masked for that request. */
function toOutcome(delivery: Delivery, request: WebhookRequest, values: Values, { options }: Job): ActionOutcome {
  switch (delivery.kind) {
    case 'replied': {
      const secrets = () => [...Object.values(options.secrets()), ...values.secret(), ...tellingParts(request)];
      const mask = createMask(options.env, secrets);
      return { kind: 'replied', status: delivery.status, body: excerptOf(delivery.body, mask) };
    }
    case 'failed':
      return notStarted(delivery.reason);
    case 'timed-out':
      return { kind: 'timed-out', afterMs: delivery.afterMs, stdout: '', stderr: delivery.reason };
    case 'cancelled':
      return delivery;
  }
}

const maxLength = 200;

/** One line of at most 200 characters for the journal: the masked beginning of an answer, and its size if that is not all. */
function excerptOf({ text, bytes, cut }: ReplyBody, mask: (text: string) => string): string {
  // Masked before it is cut: half a secret is not found any more.
  const line = mask(text)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  if (cut === undefined && line.length <= maxLength) return line;
  const size = cut === 'long' ? `more than ${bytes} bytes` : `${bytes} bytes${cut === 'broken' ? ', cut off' : ''}`;
  const end = `... (${size})`;
  const start = line
    .slice(0, maxLength - end.length - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  return start === '' ? end : `${start} ${end}`;
}
