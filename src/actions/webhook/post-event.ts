import { createMask } from '../../hooks/secrets/create-mask.ts';
import type { ActionOutcome, ActionRun, WebhookAction } from '../../model/index.ts';
import { type Connections, deliver, usualLimits } from './deliver.ts';
import { createValues } from './fill.ts';
import { deliveryId, fillRequest, reachOf, type SendOptions, tellingParts } from './request.ts';

/**
 * Sends a receiver what a script would read on stdin; the whole of its answer is the outcome. What stands in the event is
 * never filled in, and in the headers only the variables that the hook may use.
 */
export async function postEvent(
  action: WebhookAction,
  { variables }: NonNullable<WebhookAction['posts']>,
  run: ActionRun,
  options: SendOptions,
  connections: Connections,
): Promise<ActionOutcome> {
  const { secrets, env, seed, lookup, ca } = options;
  const allowed = (given: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => variables.includes(name)));
  const values = createValues({ event: {}, secrets: () => allowed(secrets()), env: allowed(env) });
  const reach = reachOf(run.hook.source.scope);
  const filled = fillRequest({ ...action, body: undefined }, values, reach);
  for (const name of values.missing())
    options.warn?.(`${run.hook.name}: \${${name}} has no value, or allowedEnvVars does not list it, so it is empty`);
  if (filled.kind === 'flaw') return { kind: 'not-started', reason: filled.reason };
  const request = {
    ...filled.value,
    headers: { 'content-type': 'application/json', ...filled.value.headers },
    body: (run.presentation.stdin ?? '{}').trim(),
  };
  const waitMs = run.timeoutMs ?? usualLimits.sendMs;
  const delivery = await deliver({
    ...{ request, id: deliveryId(seed, run.key), retries: 0, connections },
    ...{ timeoutMs: run.timeoutMs, signal: run.signal, memory: run.memory },
    connecting: { reach, lookup, ca },
    limits: { ...usualLimits, sendMs: waitMs, tryMs: waitMs, bodyMs: waitMs },
  });
  if (delivery.kind === 'cancelled') return delivery;
  if (delivery.kind === 'failed') return { kind: 'not-started', reason: delivery.reason };
  if (delivery.kind === 'timed-out')
    return { kind: 'timed-out', afterMs: delivery.afterMs, stdout: '', stderr: delivery.reason };
  const { status, body } = delivery;
  if (body.cut !== undefined)
    return {
      kind: 'not-started',
      reason: `its answer ${body.cut === 'long' ? 'is longer than can be read' : 'broke off'}`,
    };
  const mask = createMask(env, () => [...Object.values(secrets()), ...values.secret(), ...tellingParts(request)]);
  return { kind: 'replied', status, body: mask(body.text) };
}
