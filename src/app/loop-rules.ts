import type { Settings } from '../dialects/native/settings.ts';
import type { OpenSession } from '../loop/open.ts';
import { given } from '../model/json.ts';
import { defaultRules, type Limits, type LoopRules } from '../model/limits.ts';
import { formatKey, keyOf, type StepKey } from '../model/step-key.ts';
import { fold } from '../session/state/state.ts';

/** What applies to a session now: what hookloop.yaml says, and before that the limits that `run` or `resume` was given for it. */
export function rulesOf(config: Settings, { settings, state }: Pick<OpenSession, 'settings' | 'state'>): LoopRules {
  const raised = state.work.done.get(formatKey(limitsKey)) as Limits | undefined;
  return withLimits(config, { ...settings.limits, ...raised });
}

/** The same of the longest pause. */
export const maxWaitOf = (config: Settings, { settings, state }: Pick<OpenSession, 'settings' | 'state'>) =>
  (state.work.done.get(formatKey(maxWaitKey)) as number | undefined) ?? settings.maxWaitMs ?? config.maxWaitMs;

export const withLimits = (config: Settings, own: Limits | undefined): LoopRules => ({
  ...defaultRules,
  ...given({ prices: config.prices, stall: config.stall, onFailure: config.onFailure }),
  limits: { ...config.limits, ...own },
});

/** What `resume` is given for a session. */
export interface RaisedLimits {
  limits?: Limits | undefined;
  maxWaitMs?: number | undefined;
}

/** From now on these are the session's own, whatever `run` was told. */
export async function keepLimits({ state, journal }: OpenSession, raised: RaisedLimits): Promise<void> {
  const { limits = {}, maxWaitMs } = raised;
  const keep = async (key: StepKey, value: unknown): Promise<void> =>
    fold(state, await journal.append({ kind: 'step.done', key: formatKey(key), value }));
  const before = state.work.done.get(formatKey(limitsKey)) as Limits | undefined;
  if (Object.keys(limits).length > 0) await keep(limitsKey, { ...before, ...limits });
  if (maxWaitMs !== undefined) await keep(maxWaitKey, maxWaitMs);
}

/** Where the journal keeps what `resume` was given. */
const limitsKey = keyOf('limits');
const maxWaitKey = keyOf('max-wait');
