import { decisionIdOf, type Firings, idWords } from '../../model/decision-id.ts';
import type { ActionOutcome, EventName } from '../../model/index.ts';
import { fieldsOf as jsonFieldsOf } from '../../model/json.ts';
import { fieldsOf, holdsAll, toKnown } from '../../model/known-record.ts';
import type { Notice } from '../../model/notice.ts';
import type { Entry, SessionEntry } from '../../model/record.ts';
import { parseKey, type StepKey } from '../../model/step-key.ts';
import { counted, dayOf, limitWords, printedBy, timeOf } from '../../model/words.ts';
import { againWords, hookWords, messageLines } from './hook-result.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { createProgress, follow, positionWords, type SessionProgress } from './progress.ts';
import { firstLines, flat, folded, named, shortened, textWidth } from './text.ts';
import { type Answer, answerWords, eventWords, type Mark, note, subjectOf, type Told, toolWords } from './told.ts';

/** A journal as people read it: one line an entry, none for what only the loop needs, and below a hook's line what it printed. */
export function createLogLines(
  session: string,
  { colours, columns }: Terminal,
  isWanted: (entry: Entry<object>) => boolean,
): (entry: Entry<object>) => string[] {
  const progress = createProgress();
  const tellAnswer = createAnswerTelling();
  const firings: Firings = new Map();
  let day = '';
  let stages: readonly string[] = [];
  return entry => {
    const known = toKnown(entry);
    if (known?.kind === 'session.started') stages = known.plan.stages.map(({ id }) => id);
    const id = known && decisionIdOf(firings, known);
    const told = known ? (tellAnswer(known) ?? tell(known, session, progress)) : strange(entry);
    if (!isWanted(entry) || !told) return [];
    const today = known ? dayOf(known.at) : day;
    const heading = today === day ? [] : [colours.dim(`-- ${today} --`)];
    day = today;
    const position = positionOf(known, stages, progress);
    const time = colours.dim(known ? timeOf(known.at) : '--:--:--');
    const line = `${signs[told.mark]} ${position === '' ? '' : `[${position}] `}${told.text}`;
    const asides = [told.aside, id === undefined ? undefined : idWords(id)].filter(each => each !== undefined);
    const aside = asides.length === 0 ? '' : ` (${asides.join(' ')})`;
    const [first = '', ...rest] = folds(`${line}${aside}`, columns - indent.length);
    const isWhole = rest.length === 0;
    const paint = (text: string): string => painted(text, styles[told.mark], colours);
    return [
      ...heading,
      `${time} ${isWhole ? `${paint(line)}${colours.dim(aside)}` : paint(first)}`,
      ...rest.map(part => `${indent}${paint(part)}`),
      ...(told.details ?? [])
        .flatMap(text => broken(text, columns - indent.length))
        .map(text => `${indent}${colours.dim(text)}`),
    ];
  };
}

const indent = ' '.repeat(11);

const folds = (text: string, room: number): readonly string[] =>
  textWidth(text) <= room + 2 ? [text] : folded(text, Math.max(10, room));

/** On lines that fit, each indented as the first. */
function broken(text: string, room: number): readonly string[] {
  if (textWidth(text) <= room) return [text];
  const own = ' '.repeat(Math.min(/^ */.exec(text)![0].length, Math.floor(room / 4)));
  return folded(text.trimStart(), Math.max(10, room - own.length)).map(line => `${own}${line}`);
}

const signs = { begun: '>', done: '+', failed: '-', refused: '-', asked: '?', note: ' ', said: ' ' } as const;

const styles: Partial<Record<Mark, Style>> = { failed: 'red', refused: 'red', asked: 'cyan' };

/** A kind of a later version, or none at all. */
const strange = (entry: Entry<object>): Told => ({
  mark: 'note',
  text: `record ${flat(String((entry as { kind?: unknown }).kind))}`,
});

function tell(entry: SessionEntry, session: string, progress: SessionProgress): Told | undefined {
  switch (entry.kind) {
    case 'session.started':
      return note(
        `session ${session}: pipeline ${named(entry.plan.name)}, agent ${[entry.settings.agent, ...(entry.settings.otherAgents ?? [])].map(named).join(', ')}, process ${entry.run.pid}`,
      );
    case 'session.resumed':
      return { mark: 'begun', text: `session ${session} continues in process ${entry.run.pid}` };
    case 'session.closed':
      return {
        mark: entry.status === 'completed' ? 'done' : 'failed',
        text: `session closed: ${flat(entry.status)}${entry.reason ? `, ${shortened(entry.reason)}` : ''}`,
      };
    case 'event':
      // What a call came to is told with its output.
      return entry.event.name === 'tool.called' ? undefined : tellEvent(entry, session, progress);
    case 'hook.started':
      return entry.attempt > 1 ? againWords(entry) : undefined;
    case 'hook.finished':
      return tellHook(entry, progress);
    case 'task.added':
      return note(`task ${named(entry.id)} added: ${shortened(entry.content)}`);
    case 'task.dropped':
      return note(`task ${named(entry.id)} dropped${entry.reason ? `: ${shortened(entry.reason)}` : ''}`);
    case 'task.failed':
      return entry.content === undefined
        ? undefined
        : { mark: 'failed', text: `task failed: ${shortened(entry.content)}` };
    case 'agent.limited':
      return note(
        `the turn was cut short: ${limitWords({ ...entry, agent: named(entry.agent), kind: entry.limit, reason: shortened(entry.reason) })}`,
      );
    case 'agent.chosen':
      return note(
        `${named(entry.agent)} works${entry.from === undefined ? '' : ` from now on, after ${named(entry.from)}`}${entry.reason === undefined ? '' : `: ${shortened(entry.reason)}`}`,
      );
    case 'agent.message':
      return { mark: 'note', text: 'the agent said:', details: textLines(entry.text) };
    case 'agent.tool':
      // Of a failed call its event tells, with the error.
      return entry.status === 'failed' ? undefined : tellTool(entry);
    case 'agent.told':
    case 'pending.taken':
      return { mark: 'note', text: 'the agent was told:', details: textLines(entry.text) };
    case 'event.decided':
      return entry.skipped.length === 0 ? undefined : tellSkipped(entry);
    default:
      return undefined;
  }
}

/** All of a text, as far as the record has it. */
const textLines = (text: string): readonly string[] => firstLines(text, Number.POSITIVE_INFINITY).lines;

function tellTool({ tool, input, output = '', status }: Extract<SessionEntry, { kind: 'agent.tool' }>): Told {
  return {
    mark: status === 'completed' ? 'done' : status,
    text: `tool ${toolWords(tool, input)} ${status}`,
    details: textLines(outputText(output)),
  };
}

/** What a shell printed, and of other tools what they gave. */
function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  const { stdout, stderr } = jsonFieldsOf(output);
  if (typeof stdout === 'string' && typeof stderr === 'string') return `${stdout}\n${stderr}`;
  return JSON.stringify(output);
}

const tellSkipped = ({ skipped, moreSkipped = 0, event }: Extract<SessionEntry, { kind: 'event.decided' }>): Told => ({
  mark: 'note',
  text: `${counted(skipped.length + moreSkipped, 'hook')} skipped`,
  aside: event,
});

function tellEvent(
  { at, event }: Extract<SessionEntry, { kind: 'event' }>,
  session: string,
  progress: SessionProgress,
): Told {
  const { name, extra, session: _, ...fields } = event;
  const approval = extra?.['approval'];
  const notice = { type: name, ...fields, at, session, ...(typeof approval === 'string' && { approval }) };
  follow(progress, notice as Notice);
  return eventWords(notice, progress) ?? note(plainWords(name, event.tool, event.input));
}

/** The record that ends the work with a question's key is its answer; that to a hook is in the hook's result. */
function createAnswerTelling(): (entry: SessionEntry) => Told | undefined {
  const asked = new Map<string, Pick<Answer, 'title' | 'question'>>();
  return entry => {
    if (entry.kind === 'event' && entry.event.name === 'approval.requested' && entry.key !== undefined)
      asked.set(entry.key, entry.event);
    if (entry.kind !== 'step.done') return undefined;
    const question = asked.get(entry.key);
    if (!question || !holdsAll(entry.value, answerFields)) return undefined;
    asked.delete(entry.key);
    return answerWords({ ...(entry.value as Answer), title: question.title, question: question.question });
  };
}

const answerFields = fieldsOf('action:string', 'message:string', 'by:string?');

/** Events that `run` does not show, because something else tells of them. */
const plainWords = (name: EventName, tool: string | undefined, input: unknown): string =>
  tool === undefined ? flat(name) : `${flat(name)} ${toolWords(tool, input)}`;

function tellHook(entry: Extract<SessionEntry, { kind: 'hook.finished' }>, progress: SessionProgress): Told {
  const { event, result } = entry;
  const told = hookWords({ ...entry, subject: subjectOf(event, progress) });
  if (result.status !== 'finished') return told;
  return { ...told, details: [...messageLines(result), ...outputLines(result.outcome)] };
}

/** What a hook printed or was answered, and where the rest is if that was more than the record keeps. */
function outputLines(outcome: ActionOutcome): readonly string[] {
  const lines = textLines(printedBy(outcome));
  const { stdoutFile, stderrFile } = ('truncated' in outcome && outcome.truncated) || {};
  const files = [stdoutFile, stderrFile].filter(file => file !== undefined).map(file => flat(file));
  return files.length > 0 ? [...lines, `... all of it: ${files.join(' and ')}`] : lines;
}

/** A hook stands where its event was; one that no one waits for may end when the session is elsewhere. */
function positionOf(entry: SessionEntry | undefined, stages: readonly string[], progress: SessionProgress): string {
  if (entry?.kind.startsWith('session.')) return '';
  const isHook = entry?.kind === 'hook.started' || entry?.kind === 'hook.finished';
  const { stage: index, iteration }: Partial<StepKey> = isHook ? parseKey(entry.key) : {};
  const stage = index === undefined ? undefined : stages[index];
  if (stage === undefined) return positionWords(progress);
  const { maxIterations } = stage === progress.stage ? progress : {};
  return positionWords({ stage, iteration, maxIterations });
}
