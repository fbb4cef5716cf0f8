import type { HookResult } from '../../model/index.ts';

/** What a run of a hook counts as, wherever runs are counted. A gate that broke has refused something: it counts once. */
export function countedAs(result: HookResult): 'failed' | 'refused' | undefined {
  if (result.status !== 'finished') return undefined;
  if (result.decision.kind !== 'proceed') return 'refused';
  return result.verdict.kind === 'failed' ? 'failed' : undefined;
}
