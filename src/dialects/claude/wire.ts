import type {
  ActionOutcome,
  DialectWire,
  HookDefinition,
  HookEvent,
  Interpretation,
  Verdict,
} from '../../model/index.ts';
import {
  parseAnswer,
  type ReadAnswer,
  readAnswer,
  readExitTwo,
  refusalText,
  startsObject,
  unreadableAnswer,
} from '../shared/answer.ts';
import { byExitCode, hookVariables } from '../shared/outcome.ts';
import { refusalMessage } from '../shared/refusal-message.ts';
import { events } from './events.ts';
import { claudePayload, envFileOf } from './payload.ts';

export const wire: DialectWire = {
  name: 'claude',
  events,
  order: 'side-by-side',
  present(event, hook, { places, env }) {
    const pluginRoot = hook.settings?.['pluginRoot'];
    const envFile = envFileOf(env);
    return {
      env: {
        ...hookVariables(event),
        CLAUDE_PROJECT_DIR: places.root,
        ...(typeof pluginRoot === 'string' && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
        ...(hook.spelling === 'SessionStart' && envFile !== undefined && { CLAUDE_ENV_FILE: envFile }),
      },
      stdin: `${claudePayload(event, hook.spelling, places, env)}\n`,
    };
  },
  interpret(outcome, hook, event) {
    if (onlyHear.has(hook.spelling)) return { verdict: byExitCode(outcome, hook.name) };
    const reading =
      outcome.kind === 'exited' ? interpretExit(outcome, hook, event) : { verdict: otherVerdict(outcome, hook) };
    // Its own words are in the reason; where it has none, the agent gets all that is known.
    return reading.verdict.kind === 'failed' || outcome.kind === 'judged'
      ? { ...reading, refusal: refusalMessage(outcome, hook, event) }
      : reading;
  },
};

const otherVerdict = (outcome: ActionOutcome, hook: HookDefinition): Verdict =>
  outcome.kind === 'judged' && !outcome.ok
    ? { kind: 'rejected', reason: outcome.reason || `${hook.name}: said no` }
    : byExitCode(outcome, hook.name);

/** Claude Code throws away what hooks of these events answer. */
const onlyHear: ReadonlySet<string> = new Set(['SessionEnd', 'StopFailure']);
/** Exit code 2 is an error like any other here. */
const ignoreExitTwo: ReadonlySet<string> = new Set(['SessionStart', 'PermissionRequest']);
/** What hooks of these events print reaches the agent even without JSON. */
const hearPlainText: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit']);

function interpretExit(outcome: Exited, hook: HookDefinition, event: HookEvent): Interpretation {
  const unreadable = unreadableAnswer(outcome, hook.name);
  if (unreadable) return { verdict: unreadable };
  const answer = parseAnswer(outcome.stdout);
  const said: ReadAnswer = answer ? readAnswer(answer, refusalMessage(outcome, hook, event)) : {};
  const isGarbled = !answer && startsObject(outcome.stdout);
  const plainText =
    !answer && outcome.exitCode === 0 && hearPlainText.has(hook.spelling) ? outcome.stdout.trim() : undefined;
  const warning = isGarbled ? 'stdout begins with { but is not a JSON object' : said.warning;
  const verdict = verdictOf(outcome, hook, event, said.verdict, warning);
  const feedback = [refusalText(verdict), said.context ?? plainText].filter(Boolean).join('\n');
  return {
    verdict,
    ...(feedback && { feedback }),
    ...(answer && { answer }),
    ...(said.message && { message: said.message }),
    ...(warning && { warning }),
  };
}

type Exited = Extract<ActionOutcome, { kind: 'exited' }>;

function verdictOf(
  outcome: Exited,
  hook: HookDefinition,
  event: HookEvent,
  said: Verdict | undefined,
  warning: string | undefined,
): Verdict {
  if (outcome.exitCode === 2 && !ignoreExitTwo.has(hook.spelling))
    return readExitTwo(outcome, refusalMessage(outcome, hook, event));
  // The start of a session cannot be refused, only the session ended; and a crash after an `allow` is still a crash.
  if (said?.kind === 'stopped') return said;
  if (said && said.kind !== 'passed' && hook.spelling !== 'SessionStart') return said;
  // Who wrote `onFailure: "block"` wants an answer that can be understood.
  if (outcome.exitCode === 0 && hook.onFailure === 'block' && warning && !said)
    return { kind: 'failed', reason: `${hook.name}: ${warning}` };
  return byExitCode(outcome, hook.name);
}
