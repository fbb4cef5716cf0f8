import type { Decision } from '../../model/index.ts';
import type { PermissionOption, RequestPermissionResponse } from './sdk.ts';

/**
 * The answer to a permission request, chosen by kind, since ids and order differ from agent to agent.
 * The reason stands in `_meta`, which no agent is known to read: whoever decided sends it with the next prompt as well.
 */
export function answerPermission(
  options: readonly PermissionOption[],
  decision: Decision | undefined,
): RequestPermissionResponse {
  const kinds = decision === undefined ? [] : decision.kind === 'proceed' ? allowing : refusing;
  const chosen = kinds.flatMap(kind => options.find(option => option.kind === kind) ?? [])[0];
  return {
    outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' },
    ...(decision && decision.kind !== 'proceed' && { _meta: { hookloop: { reason: decision.reason } } }),
  };
}

const allowing = ['allow_once', 'allow_always'] as const;
const refusing = ['reject_once', 'reject_always'] as const;
