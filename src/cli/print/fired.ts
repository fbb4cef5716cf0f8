import { answerWord, decidedBy } from '../../app/answer-word.ts';
import type { Fired } from '../../app/dispatch-event.ts';
import type { HookDefinition, HookEvent, HookResult } from '../../model/index.ts';
import type { Mask } from '../../model/mask.ts';
import { fileOf, shellTextOf } from '../../model/tool-call.ts';
import { counted, durationWords, outcomeWords, printedBy } from '../../model/words.ts';
import type { CommandIo } from '../command.ts';
import { type Colours, createColours, type Style } from './paint.ts';
import { firstLines, firstLinesAndMore, flat, named, shortened } from './text.ts';

/** How people are shown what one event came to. */
export interface FiredPrint {
  colours: Colours;
  mask: Mask;
}

export const printFired = (fired: Fired, io: Pick<CommandIo, 'terminal' | 'mask'>): string =>
  firedText(fired, { colours: createColours(io.terminal('out').color), mask: io.mask });

/** The event, every hook with what it did, the decision, and what the agent is told. */
export function firedText(fired: Fired, { colours, mask }: FiredPrint): string {
  const { event, result } = fired;
  const word = answerWord(fired);
  const told = result.decision.kind !== 'abort' && word !== 'ask' && word !== 'judge' ? result.feedback.trim() : '';
  return [
    `${colours.bold(event.name)}${subject(event, mask)}`,
    ...hookLines(fired, { colours, mask }),
    '',
    ...decisionLines(fired, { colours, mask }),
    ...(told === '' ? [] : ['', 'The agent is told:', ...quoted(told, maxToldLines)]),
    '',
  ].join('\n');
}

/** What the event is about, as far as one line can say it. */
function subject({ tool, input, file, content, message, iteration, question }: HookEvent, mask: Mask): string {
  const what =
    tool === undefined && input === undefined
      ? (file ?? content ?? question ?? message ?? (iteration === undefined ? '' : `iteration ${iteration}`))
      : `${tool ?? ''} ${shellTextOf(input) ?? fileOf(input) ?? ''}`;
  return what.trim() === '' ? '' : `  ${shortened(mask(what), 100)}`;
}

/** A line for each hook, and what it printed. */
export function hookLines(fired: Fired, { colours, mask }: FiredPrint): string[] {
  const { hooks, result } = fired;
  if (hooks.length === 0) return ['  no hook is for this event; hookloop list shows all hooks'];
  const decider = decidedBy(fired);
  return result.results.flatMap(each => {
    const hook = hooks.find(({ id }) => id === each.hook);
    const { sign, style, text } = hookWords(each, fired);
    const name = hook ? named(mask(hook.name)) : each.hook;
    const place = hook ? colours.dim(`  ${placeOf(hook)}`) : '';
    const line = `  ${colours[style](`${sign} ${name}`)}  ${text}${place}`;
    return [line, ...outputOf(each, each.hook === decider)];
  });
}

const placeOf = ({ source: { file, line } }: HookDefinition): string => `${flat(file)}:${line}`;

interface HookWords {
  sign: string;
  style: Style;
  text: string;
}

function hookWords(result: HookResult, { unasked }: Fired): HookWords {
  if (result.status === 'skipped') {
    const [, dry] = /^dry run: (.*)/s.exec(result.why) ?? [];
    return { sign: '-', style: 'dim', text: shortened(dry ?? `did not run: ${result.why}`) };
  }
  if (result.status === 'detached')
    return result.failed === undefined
      ? { sign: '-', style: 'dim', text: 'started; no one waits for it' }
      : { sign: '!', style: 'yellow', text: `failed, and no one waits for it: ${shortened(result.failed)}` };
  const { verdict, decision, outcome, durationMs } = result;
  const would = unasked.get(result.hook);
  if (would) return { sign: '?', style: 'yellow', text: `would ask ${would.of === 'person' ? 'a person' : 'a judge'}` };
  const took = durationMs < 1000 ? '' : ` after ${durationWords(durationMs)}`;
  if (result.shadow && result.shadow.kind !== 'proceed')
    return {
      sign: '!',
      style: 'yellow',
      text: `would ${result.shadow.kind}${took}; it is in shadow, so it decides nothing`,
    };
  const flaky = result.flaky === undefined ? '' : `, flaky: ${shortened(result.flaky)}`;
  if (verdict.kind === 'passed') return { sign: '+', style: 'cyan', text: `passed${took}${flaky}` };
  if (verdict.kind === 'asked') return { sign: '?', style: 'yellow', text: 'wants a person to decide' };
  const how =
    verdict.kind === 'failed' ? `failed${took} (${shortened(outcomeWords(outcome, durationWords))})` : 'said no';
  return decision.kind === 'proceed'
    ? { sign: '!', style: 'yellow', text: `${how}; decides nothing` }
    : { sign: 'x', style: 'red', text: `${how}: ${decision.kind}` };
}

const maxOutputLines = 20;
const maxToldLines = 40;

/** What a hook printed; of one that passed, only the beginning. */
function outputOf(result: HookResult, decided: boolean): string[] {
  if (result.status !== 'finished') return [];
  const said = result.message === undefined ? [] : quoted(`says: ${result.message}`, 5);
  const max = decided || result.verdict.kind !== 'passed' ? maxOutputLines : 3;
  return [...said, ...quoted(printedBy(result.outcome), max)];
}

const quoted = (text: string, max: number): string[] => firstLinesAndMore(text, max).map(line => `    | ${line}`);

function decisionLines(fired: Fired, { colours, mask }: FiredPrint): string[] {
  const { result, unasked } = fired;
  const { decision } = result;
  if (decision.kind === 'proceed') {
    const ran = result.results.filter(({ status }) => status !== 'skipped').length;
    return [`${colours.bold('proceed')}${ran === 0 ? ': no hook ran' : `: ${counted(ran, 'hook')} ran, none refused`}`];
  }
  const word = answerWord(fired);
  const would = unasked.get(decision.by);
  // All of a refusal stands below, as the agent is told it; of a question this is all there is.
  const { lines } = firstLines(mask(would?.question ?? decision.reason), would ? maxQuestionLines : 1);
  const [first = '', ...rest] = lines;
  const head = colours[would || word === 'ask' ? 'yellow' : 'red'](words[word]);
  return [first === '' ? head : `${head}: ${first}`, ...rest.map(line => `  ${line}`)];
}

const maxQuestionLines = 8;

const words = {
  proceed: 'proceed',
  block: 'block',
  revise: 'revise',
  abort: 'abort',
  ask: 'a person would be asked',
  judge: 'a judge would be asked',
} as const;

/** `tool, input, command, file` and the rest, for people who have written another name. */
export const fieldsNote = (event: string, names: readonly string[]): string =>
  `The fields of ${event}: ${names.join(', ')}`;

/** Fields that every payload may have besides those of the event: they only repeat it. */
const repeating: ReadonlySet<string> = new Set(
  'event hook_event_name hookEventName transcript_path permission_mode success source reason'.split(' '),
);

/** Names in a payload that mean nothing in its event; empty where all do. */
export function unknownFieldsNote({ event }: Pick<Fired, 'event'>): string {
  const unknown = Object.keys(event.extra ?? {}).filter(key => !repeating.has(key));
  if (unknown.length === 0) return '';
  const names = unknown.map(key => shortened(key, 40)).join(', ');
  return `hookloop dispatch: ${unknown.length === 1 ? 'no field' : 'no fields'} of ${event.name}: ${names}; hooks that read JSON still get ${unknown.length === 1 ? 'it' : 'them'}\n`;
}
