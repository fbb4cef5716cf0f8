import { createMask } from '../../hooks/secrets/mask.ts';
import type { ActionOutcome } from '../../model/index.ts';
import type { Delivery } from './deliver.ts';
import { excerptOf } from './excerpt.ts';
import type { WebhookRequest } from './request.ts';

export interface Hiding {
  env: Readonly<Record<string, string | undefined>>;
  secrets: () => Readonly<Record<string, string>>;
  /** Values that went into the request and are not the event's. */
  filledIn: readonly string[];
}

/** A delivery as an outcome. A receiver may send back all it was sent, so its answer is masked for that request. */
export function toOutcome(delivery: Delivery, request: WebhookRequest, hiding: Hiding): ActionOutcome {
  switch (delivery.kind) {
    case 'replied': {
      const { env, secrets, filledIn } = hiding;
      const mask = createMask(env, () => [...Object.values(secrets()), ...filledIn, ...tellingParts(request)]);
      return { kind: 'replied', status: delivery.status, body: excerptOf(delivery.body, mask) };
    }
    case 'failed':
      return { kind: 'not-started', reason: delivery.reason };
    case 'timed-out':
      return { kind: 'timed-out', afterMs: delivery.afterMs, stdout: '', stderr: delivery.reason };
    case 'cancelled':
      return delivery;
  }
}

const plainHeaders: ReadonlySet<string> = new Set(['content-type', 'user-agent', 'accept', 'accept-language']);

/** What may be secret although the author has written it into the file: headers, the URL and its long parts, the key. */
function tellingParts({ url, headers, secret }: WebhookRequest): string[] {
  const ofHeaders = Object.entries(headers)
    .filter(([name]) => !plainHeaders.has(name))
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? '']);
  const ofPath = url.pathname.split('/').filter(part => part.length >= 12);
  return [
    ...ofHeaders,
    ...ofPath,
    ...url.searchParams.values(),
    url.href,
    url.pathname + url.search,
    url.password,
    secret ?? '',
  ];
}
