import { setTimeout } from 'node:timers/promises';
import { type ActionRun, meaningOf, type PollTemplate, type WebhookAction } from '../../model/index.ts';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import type { OpenApproval } from './approval.ts';
import { retryAfterMs, usualLimits } from './deliver.ts';
import { createValues, type Filled } from './fill.ts';
import { fillRequest, reachOf, type SendOptions, sayHost, type WebhookRequest } from './request.ts';
import { send, type Try } from './send.ts';

/** After answers that are of no use the pause doubles, up to this. */
const maxPauseMs = 10 * 60_000;

/** The request that asks for the answer; what is wrong with it shows before anyone is asked. */
export function fillPoll(
  { url, headers }: PollTemplate,
  { presentation, hook }: ActionRun,
  { secrets, env }: SendOptions,
): Filled<WebhookRequest> {
  const values = createValues({ event: presentation.env, secrets, env, callbackUrl: undefined });
  const request = { url, method: 'GET', headers: { accept: 'application/json', ...headers }, body: {}, retries: 0 };
  return fillRequest(request, values, reachOf(hook.source.scope));
}

/**
 * Asks a server again and again until its answer decides the question, which is then kept like one that someone gave: a
 * process that comes after a crash goes on asking. Contract: never rejects; ends when the signal is aborted.
 */
export async function pollAnswer(
  request: WebhookRequest,
  { poll, actions }: { poll: PollTemplate; actions?: WebhookAction['actions'] },
  approval: OpenApproval,
  { run, options, signal }: { run: ActionRun; options: SendOptions; signal: AbortSignal },
): Promise<void> {
  const connecting = { reach: reachOf(run.hook.source.scope), lookup: options.lookup, ca: options.ca };
  const host = sayHost(request.url);
  let inVain = 0;
  while (!signal.aborted) {
    const reply = await send(request, connecting, usualLimits, signal);
    if (signal.aborted) return;
    const read = await readReply(reply, poll);
    if (read.kind === 'decided') {
      const { response, meaning } = read;
      const { action, message } = fieldsOf(response);
      const isOwnWord = typeof action === 'string' && meaningOf(action, actions) !== undefined;
      const answer = { action: isOwnWord ? action : meaning, message: typeof message === 'string' ? message : '' };
      await approval.answer?.({ ...answer, response: fieldsOf(response), by: `the answer of ${host}` });
      return;
    }
    inVain = read.kind === 'useless' ? inVain + 1 : 0;
    if (inVain === 1) options.warn?.(`${run.hook.name}: ${host}: ${read.why}; asking goes on`);
    const pauseMs = Math.min(poll.everyMs * 2 ** Math.min(inVain, 20), Math.max(maxPauseMs, poll.everyMs));
    const asked = reply.kind === 'replied' ? retryAfterMs(reply.retryAfter, Date.now()) : 0;
    await setTimeout(Math.max(pauseMs, Math.min(asked, maxPauseMs)), undefined, { signal }).catch(() => {});
  }
}

type Read =
  | { kind: 'decided'; meaning: 'approve' | 'reject'; response: unknown }
  | { kind: 'open'; why?: undefined }
  | { kind: 'useless'; why: string };

/** A field that is not there yet is no error: the answer is still open. */
async function readReply(reply: Try, { until, unless }: PollTemplate): Promise<Read> {
  if (reply.kind !== 'replied') return { kind: 'useless', why: reply.reason };
  if (reply.status < 200 || reply.status >= 300) return { kind: 'useless', why: `HTTP status ${reply.status}` };
  if (reply.body.cut !== undefined) return { kind: 'useless', why: 'its answer is cut off or too long' };
  const response = jsonOf(reply.body.text);
  if (response === undefined) return { kind: 'useless', why: 'its answer is not JSON' };
  const { holdsFor } = await import('../../config/conditions/response.ts');
  if (unless !== undefined && holdsFor(unless, response)) return { kind: 'decided', meaning: 'reject', response };
  return holdsFor(until, response) ? { kind: 'decided', meaning: 'approve', response } : { kind: 'open' };
}
