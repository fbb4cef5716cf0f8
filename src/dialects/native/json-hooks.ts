import type { ActionOutcome, HookDefinition, HookEvent, Interpretation, PresentContext } from '../../model/index.ts';
import { babysitterFields } from '../babysitter/wire.ts';
import { events as claudeEvents, claudeFields, envFileOf } from '../claude/wire.ts';
import { interpretAnswer, parseAnswer, readAnswer, startsObject, unreadableAnswer } from '../shared/json-answer.ts';
import { refusalMessage } from '../shared/outcome.ts';

/** What a hook with `answers: json` said. undefined: nothing of the kind, so its exit code speaks. */
export function readJson(
  outcome: Extract<ActionOutcome, { kind: 'exited' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation | undefined {
  const { exitCode, stdout } = outcome;
  const codes = (hook.settings?.['refusesOn'] ?? []) as readonly number[];
  const unreadable = unreadableAnswer(outcome, hook.name);
  if (unreadable) return { verdict: unreadable };
  if (codes.includes(exitCode)) return undefined;
  const answer = parseAnswer(stdout);
  if (!answer) return exitCode === 0 && startsObject(stdout) ? garbled(outcome, hook, event) : undefined;
  const said = readAnswer(answer, refusalMessage(outcome, hook, event));
  const refuses = said.verdict !== undefined && said.verdict.kind !== 'passed';
  if (exitCode !== 0 && !(refuses && exitCodesCount(hook, codes))) return undefined;
  // To Claude Code it is a no, and no question.
  if (exitCode === 2 && said.verdict?.kind === 'asked') return undefined;
  return interpretAnswer(said.verdict ?? { kind: 'passed' }, answer, said, event);
}

/** Where no exit code means anything, a hook that broke has given no answer. Elsewhere a no stays one. */
const exitCodesCount = ({ onFailure, settings }: HookDefinition, codes: readonly number[]): boolean =>
  codes.length > 0 || onFailure !== 'continue' || settings?.['observes'] === true;

/** Who wants an answer wants one that can be understood. */
function garbled(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): Interpretation {
  const warning = 'stdout begins with { but is not a JSON object';
  return {
    verdict: { kind: 'failed', reason: `${hook.name}: ${warning}` },
    refusal: refusalMessage(outcome, hook, event),
    warning,
  };
}

/**
 * What such a hook is told: the event under our names, and under those that scripts for Claude Code and babysitter look for, so that
 * one script serves all of them.
 */
export function toldToAnswer(
  event: HookEvent,
  { places, env }: PresentContext,
): { env: Record<string, string>; stdin: string } {
  const spelling = Object.entries(claudeEvents).find(([, [name]]) => name === event.name)?.[0] ?? event.name;
  const payload = JSON.stringify({
    ...babysitterFields(event),
    ...claudeFields(event, spelling, places, env),
    ...eventFields(event),
  });
  const envFile = event.name === 'session.starting' ? envFileOf(env) : undefined;
  return {
    env: {
      HOOK_PAYLOAD: payload,
      REPO_ROOT: places.repo,
      CLAUDE_SESSION_ID: env['CLAUDE_SESSION_ID'] || (event.session ?? ''),
      ...(envFile !== undefined && { CLAUDE_ENV_FILE: envFile }),
    },
    stdin: `${payload}\n`,
  };
}

/** The event under our own names; fields that no one knows stand beside them, but never in their place. */
export const eventFields = ({
  name,
  extra,
  facts: _facts,
  spending: _spending,
  ...fields
}: HookEvent): Record<string, unknown> => ({
  ...extra,
  event: name,
  ...fields,
});
