import { idWords } from '../../model/decision-id.ts';
import type { ExplainedHook, Explanation, NextThing } from '../../model/explanation.ts';
import { isPending } from '../../model/index.ts';
import { counted, dayOf, protectWords, shortDuration, timeOf } from '../../model/words.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { cut, firstLines, flat, folded, named, pad, taskId, textWidth } from './text.ts';
import { toolWords } from './told.ts';

/** One decision for people: what it was about, what each hook said, what the agent heard and did. */
export function whyText(explanation: Explanation, terminal: Terminal): string {
  const { hooks, moreSkipped = 0, told, next, session } = explanation;
  const more = moreSkipped > 0 ? [`... ${counted(moreSkipped, 'more hook')} skipped`] : [];
  const blocks = [
    header(explanation, terminal),
    block('HOOKS', [...hookLines(hooks, explanation.decision, terminal), ...more], terminal),
    block(
      'THE AGENT WAS TOLD',
      told === null ? [terminal.colours.dim(notTold(explanation))] : toldLines(told),
      terminal,
    ),
    block('THEN', nextLines(next, terminal), terminal),
    block('MORE', [`hookloop log ${session} --only agent,tools,hooks`], terminal),
  ];
  return `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

function header({ session, id, event, at, about, decision, hooks }: Explanation, terminal: Terminal): string[] {
  const { colours, columns } = terminal;
  const by = hooks.find(({ hook }) => hook === decision.by)?.name ?? decision.by;
  const who = decision.kind === 'proceed' || by === undefined ? '' : ` by ${named(by)}`;
  const isUndecided = isPending(event) && hooks.some(({ status }) => status === 'unfinished');
  const passed = isUndecided ? 'not decided' : 'allowed';
  const what = decision.kind === 'proceed' ? passed : 'refused';
  const where =
    about.stage === undefined
      ? ''
      : `, ${flat(about.stage)}${about.iteration === undefined ? '' : ` ${about.iteration}`}`;
  const subject = subjectOf(about);
  return [
    colours.bold(cut(`${idWords(id)} ${event}: ${what}${who}${consequences[decision.kind]}`, columns)),
    ...(subject === '' ? [] : folded(subject, columns).slice(0, maxSubjectLines)),
    colours.dim(cut(`session ${session}${where}, ${dayOf(at)} ${timeOf(at)}`, columns)),
  ];
}

const maxSubjectLines = 4;

const consequences = {
  proceed: '',
  revise: '; the agent has to fix it',
  block: '',
  abort: '; the session ended',
} as const;

function subjectOf({ task, content, tool, input, file, evidence }: Explanation['about']): string {
  if (evidence !== undefined) return flat(evidence);
  if (tool !== undefined) return toolWords(tool, input);
  if (content !== undefined) return `${taskId(task ?? '') === '' ? 'task' : `task ${task}`}: ${flat(content)}`;
  return file === undefined ? '' : flat(file);
}

const block = (title: string, lines: readonly string[], { colours, columns }: Terminal): string[] =>
  lines.length === 0 ? [] : [colours.bold(title), ...lines.map(line => `  ${cut(line, columns - 2)}`)];

function hookLines(
  hooks: readonly ExplainedHook[],
  { by }: Explanation['decision'],
  { colours, columns }: Terminal,
): string[] {
  if (hooks.length === 0)
    return [colours.dim(by === undefined ? 'no hook is for this event' : 'no hook: a rule of Hookloop itself')];
  const width = Math.min(Math.max(...hooks.map(({ name }) => textWidth(nameOf(name)))), Math.floor(columns / 3));
  /** People know hooks by their names. */
  const inNames = (text: string): string =>
    hooks.reduce((told, { hook, name }) => told.replaceAll(hook, nameOf(name)), text);
  return hooks.flatMap(hook => {
    const refuses = hook.decision !== undefined && hook.decision !== 'proceed';
    const name = pad(cut(nameOf(hook.name), width), width);
    const room = Math.max(20, columns - width - 6);
    const [first = '', ...rest] = folded(flat(inNames(hookWords(hook))), room);
    const words = [first, ...rest].map(line => painted(line, styleOf(hook), colours));
    const said = refuses ? saidLines(hook) : [];
    return [
      `${refuses ? '-' : signOf(hook)} ${name}  ${words[0]}`,
      ...words.slice(1).map(line => `${' '.repeat(width + 4)}${line}`),
      ...said.map(line => `    ${colours.dim(line)}`),
    ];
  });
}

/** One that did not run is recorded with its place, as in `hook "lint" (hookloop.yaml:4)`. */
const nameOf = (name: string): string => named(/^hook "(.*)" \([^()]*:\d+\)$/s.exec(name)?.[1] ?? name);

const signOf = ({ status, verdict }: ExplainedHook): string => {
  if (status !== 'finished') return ' ';
  return verdict?.kind === 'passed' ? '+' : '!';
};

function styleOf({ status, decision, verdict }: ExplainedHook): Style | undefined {
  if (status === 'skipped' || status === 'detached') return 'dim';
  if (decision !== undefined && decision !== 'proceed') return 'red';
  return verdict?.kind === 'failed' ? 'yellow' : undefined;
}

function hookWords(hook: ExplainedHook): string {
  const { status, why = '', ended = '', verdict, decision, shadow, flaky, attempts, protect, durationMs = 0 } = hook;
  if (status === 'skipped') return `skipped: ${why}`;
  if (status === 'detached') return 'started; no one waits for it';
  if (!verdict) return 'started; how it ended is not known';
  const took = shortDuration(durationMs);
  const seen = shadow === undefined ? '' : ' (shadow)';
  const again = flaky === undefined ? '' : ` in try ${attempts} (flaky: ${flaky})`;
  const kept = protect ? `; ${protectWords(protect)}` : '';
  if (verdict.kind === 'passed') return `passed${again}${seen}${kept}  ${took}`;
  const would = shadow === undefined || shadow === 'proceed' ? undefined : `-> would ${shadow} (shadow)`;
  const then = would ?? (decision === undefined || decision === 'proceed' ? 'which refuses nothing' : `-> ${decision}`);
  return `${verdict.kind === 'failed' ? `failed (${ended})` : saidWords[verdict.kind]} ${then}${kept}  ${took}`;
}

const saidWords = { rejected: 'said no', asked: 'wants a person to decide', stopped: 'ends the session' } as const;

const maxOutputLines = 12;

/** What a hook that refused had to say: what it printed, else its reason. */
function saidLines({ output, verdict, files = [] }: ExplainedHook): string[] {
  const text = output ?? (verdict && 'reason' in verdict ? verdict.reason : '');
  const { lines, more } = firstLines(text, maxOutputLines);
  const whole = files.length > 0 ? `: ${files.map(flat).join(' and ')}` : '; --json has them';
  return [
    ...lines,
    ...(more > 0 || files.length > 0 ? [`... ${more > 0 ? counted(more, 'more line') : 'all of it'}${whole}`] : []),
  ];
}

const maxToldLines = 40;

function toldLines(told: string): string[] {
  const { lines, more } = firstLines(told, maxToldLines);
  return [...lines, ...(more > 0 ? [`... ${counted(more, 'more line')}; --json has them`] : [])];
}

function notTold({ decision, next }: Explanation): string {
  if (decision.kind === 'proceed') return 'nothing';
  if (decision.kind === 'abort' || next.some(({ type }) => type === 'run.ended'))
    return 'nothing: the session ended here';
  if (next.some(({ type }) => type === 'iteration.failed')) return 'nothing: the iteration ended here';
  return 'nothing yet';
}

const maxMessageLines = 4;

function nextLines(next: readonly NextThing[], { colours }: Terminal): string[] {
  return next.flatMap(({ type, at, text, id }) => {
    const [first = '', ...rest] = firstLines(text, maxMessageLines).lines;
    const intro = nextWords[type] ?? '';
    const end = id === undefined ? '' : colours.dim(` ${idWords(id)}`);
    return [`${colours.dim(timeOf(at))}  ${intro}${first}${end}`, ...rest.map(line => `${' '.repeat(10)}${line}`)];
  });
}

const nextWords: Readonly<Record<string, string>> = { 'agent.message': 'the agent said: ', 'agent.tool': 'tool ' };
