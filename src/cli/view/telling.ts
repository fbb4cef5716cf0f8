import { idWords } from '../../model/decision-id.ts';
import type { HookAt, Notice } from '../../model/notice.ts';
import { counted, durationWords } from '../../model/words.ts';
import { againWords, hookWords } from '../print/hook-result.ts';
import { createProgress, follow, positionWords, type SessionProgress } from '../print/progress.ts';
import { flat, shortened } from '../print/text.ts';
import { answerWords, eventWords, subjectOf, type Told } from '../print/told.ts';

interface TellingOptions {
  /** Whether a tool call is told of when it begins, or when it has ended. */
  toolsTold: 'begun' | 'ended';
  /** So many lines of one message. */
  messageLines: number;
  /** A line of a message as it is shown. */
  lineOf(line: string): string;
}

const plainOptions: TellingOptions = { toolsTold: 'begun', messageLines: 8, lineOf: line => shortened(line) };

/** Turns notices into what people read. */
export function createTelling({ toolsTold, messageLines, lineOf } = plainOptions) {
  const progress = createProgress();
  const messages = createMessageLines(messageLines, lineOf);
  const tools = createToolTelling(toolsTold);
  let isSpeaking = false;
  const said = (lines: readonly string[]): Told[] =>
    lines.map(text => {
      const continues = isSpeaking;
      isSpeaking = true;
      return { mark: 'said', text, continues, lasting: true };
    });
  const endMessage = (): Told[] => {
    const last = said(messages.end());
    isSpeaking = false;
    return last;
  };
  return {
    progress,
    /** What a notice is to people: mostly one thing, sometimes none. */
    tell(notice: Notice): readonly Told[] {
      follow(progress, notice);
      if (notice.type === 'agent.message') return said(messages.add(notice.text));
      const before = endsMessage(notice) ? endMessage() : [];
      return [...before, ...toldOf(notice, progress, tools)];
    },
    /** Where the session is, as `build 2`. */
    position: () => positionWords(progress),
  };
}

/** Hooks and edits are reported while the agent still speaks; only its own acts end what it says. */
const endsMessage = ({ type }: Notice): boolean =>
  type === 'agent.tool' || /^(turn|iteration|stage|session)\.|^prompt\./.test(type);

function toldOf(notice: Notice, progress: SessionProgress, tools: ToolTelling): readonly Told[] {
  switch (notice.type) {
    case 'agent.message':
    case 'agent.usage':
    case 'session.summary':
      return [];
    case 'hook.started':
      return notice.attempt > 1 ? [{ ...againWords(notice), ...positionOf(notice) }] : [];
    case 'hook.finished': {
      const there = { ...progress, iteration: notice.iteration ?? progress.iteration };
      const told = hookWords({ ...notice, subject: subjectOf(notice.event, there) });
      return [{ ...told, ...positionOf(notice), ...idOf(notice) }];
    }
    case 'agent.tool':
      return tools.shown(notice);
    case 'approval.answered':
      return [answerWords(notice)];
    case 'tool.calling':
      return tools.asked(notice.toolCallId, eventWords(notice, progress)!);
  }
  const told = eventWords(notice, progress);
  return told ? [told] : [];
}

/** Of a refusal, with what `why` calls it by. */
function idOf({ id, event, result }: Extract<Notice, { type: 'hook.finished' }>): Pick<Told, 'aside'> {
  const isRefused = result.status === 'finished' && result.decision.kind !== 'proceed';
  return id !== undefined && isRefused ? { aside: `${event} ${idWords(id)}` } : {};
}

/** A hook that no one waits for may end when the session is elsewhere. */
function positionOf({ event, stage, iteration, maxIterations }: HookAt): Pick<Told, 'position'> {
  if (stage === undefined || event.startsWith('session.')) return {};
  return { position: positionWords(event.startsWith('stage.') ? { stage } : { stage, iteration, maxIterations }) };
}

type ToolTelling = ReturnType<typeof createToolTelling>;

/** A call is told of once when it runs, by whoever tells of it first. What came of it is an event. */
function createToolTelling(when: 'begun' | 'ended') {
  /** Whether it has run, since when, and was told of, by its id. */
  const calls = new Map<string, { state: 'known' | 'running' | 'told'; sinceMs?: number }>();
  const learn = (id: string, state: 'known' | 'running' | 'told', sinceMs?: number): void => {
    calls.set(id, { state, ...(sinceMs !== undefined && { sinceMs }) });
    // Ids are for one turn or so; a session has many.
    if (calls.size > maxCalls) calls.delete(calls.keys().next().value!);
  };
  return {
    /** What the agent shows of a call. */
    shown({ id, title, status, at }: Extract<Notice, { type: 'agent.tool' }>): readonly Told[] {
      const { state: before = 'known', sinceMs = Date.parse(at) } = calls.get(id) ?? {};
      const isRunning = status === 'running' || before === 'running';
      const isDue =
        status === 'completed' || (when === 'begun' ? status === 'running' : status === 'failed' && isRunning);
      const state = before === 'told' || isDue ? 'told' : isRunning ? 'running' : 'known';
      learn(id, state, isRunning ? sinceMs : undefined);
      if (before === 'told' || !isDue) return [];
      const text = `tool ${shortened(title, 100)}`;
      const tookMs = Date.parse(at) - sinceMs;
      const told: Told = {
        ...{ mark: 'begun', text, lasting: true, isShort: true },
        ...(when === 'ended' && tookMs >= longMs && { aside: durationWords(tookMs) }),
      };
      // One that was refused before it ran is told of by whoever refused it.
      return [status === 'failed' ? { ...told, mark: 'note', text: `${text} failed` } : told];
    },
    /** What hooks are asked about a call, in words. */
    asked(id: string | undefined, told: Told): readonly Told[] {
      if (id === undefined) return [{ ...told, lasting: true }];
      if (calls.has(id)) return [];
      learn(id, 'told');
      return [{ ...told, lasting: true }];
    },
  };
}

const maxCalls = 1000;
/** What took less goes without saying. */
const longMs = 1000;

/** Joins the pieces of what an agent says to lines; of a long message only the first ones are shown. */
export function createMessageLines(maxLines: number, lineOf: (line: string) => string = plainOptions.lineOf) {
  let begun = '';
  let count = 0;
  const take = (line: string): readonly string[] => {
    if (flat(line) === '') return [];
    count += 1;
    return count <= maxLines ? [lineOf(line)] : [];
  };
  return {
    /** The lines that are whole now. */
    add(piece: string): readonly string[] {
      const [first = '', ...others] = piece.split('\n');
      // What is not shown need not be kept.
      begun = (begun + first).slice(0, maxLineLength);
      if (others.length === 0) return [];
      const whole = [begun, ...others.slice(0, -1)];
      begun = others.at(-1)!.slice(0, maxLineLength);
      return whole.flatMap(take);
    },
    /** What is left when the agent does something else. */
    end(): readonly string[] {
      const last = take(begun);
      const more = count - maxLines;
      [begun, count] = ['', 0];
      return more > 0 ? [...last, `... ${counted(more, 'more line')}`] : last;
    },
  };
}

const maxLineLength = 2000;
