import type { HookAt, Notice } from '../../model/notice.ts';
import { counted } from '../../model/words.ts';
import { againWords, hookWords } from '../print/hook-result.ts';
import { createProgress, follow, positionWords, type SessionProgress } from '../print/progress.ts';
import { flat, shortened } from '../print/text.ts';
import { answerWords, eventWords, note, subjectOf, type Told } from '../print/told.ts';

/** Turns notices into what people read. `toolsTold`: whether a tool call is told of when it begins, or when it has ended. */
export function createTelling(toolsTold: 'begun' | 'ended' = 'begun') {
  const progress = createProgress();
  const messages = createMessageLines(maxMessageLines);
  const tools = createToolTelling(toolsTold);
  const said = (lines: readonly string[]): Told[] => lines.map(line => ({ ...note(`agent: ${line}`), lasting: true }));
  return {
    progress,
    /** What a notice is to people: mostly one thing, sometimes none. */
    tell(notice: Notice): readonly Told[] {
      follow(progress, notice);
      if (notice.type === 'agent.message') return said(messages.add(notice.text));
      const before = endsMessage(notice) ? said(messages.end()) : [];
      return [...before, ...toldOf(notice, progress, tools)];
    },
    /** Where the session is, as `build 2`. */
    position: () => positionWords(progress),
  };
}

/** Hooks and edits are reported while the agent still speaks; only its own acts end what it says. */
const endsMessage = ({ type }: Notice): boolean =>
  type === 'agent.tool' || /^(turn|iteration|stage|session)\.|^prompt\./.test(type);

const maxMessageLines = 8;

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
      return [{ ...hookWords({ ...notice, subject: subjectOf(notice.event, there) }), ...positionOf(notice) }];
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

/** A hook that no one waits for may end when the session is elsewhere. */
function positionOf({ event, stage, iteration, maxIterations }: HookAt): Pick<Told, 'position'> {
  if (stage === undefined || event.startsWith('session.')) return {};
  return { position: positionWords(event.startsWith('stage.') ? { stage } : { stage, iteration, maxIterations }) };
}

type ToolTelling = ReturnType<typeof createToolTelling>;

/** A call is told of once when it runs, by whoever tells of it first. What came of it is an event. */
function createToolTelling(when: 'begun' | 'ended') {
  /** Whether it has run, and was told of, by its id. */
  const calls = new Map<string, 'known' | 'running' | 'told'>();
  const learn = (id: string, state: 'known' | 'running' | 'told'): void => {
    calls.set(id, state);
    // Ids are for one turn or so; a session has many.
    if (calls.size > maxCalls) calls.delete(calls.keys().next().value!);
  };
  return {
    /** What the agent shows of a call. */
    shown({ id, title, status }: Extract<Notice, { type: 'agent.tool' }>): readonly Told[] {
      const before = calls.get(id) ?? 'known';
      const isRunning = status === 'running' || before === 'running';
      const isDue =
        status === 'completed' || (when === 'begun' ? status === 'running' : status === 'failed' && isRunning);
      learn(id, before === 'told' || isDue ? 'told' : isRunning ? 'running' : 'known');
      if (before === 'told' || !isDue) return [];
      const text = `tool ${shortened(title, 100)}`;
      // One that was refused before it ran is told of by whoever refused it.
      return [{ ...(status === 'failed' ? note(`${text} failed`) : { mark: 'begun', text }), lasting: true }];
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

/** Joins the pieces of what an agent says to lines; of a long message only the first ones are shown. */
export function createMessageLines(maxLines: number) {
  let begun = '';
  let count = 0;
  const take = (line: string): readonly string[] => {
    if (flat(line) === '') return [];
    count += 1;
    return count <= maxLines ? [shortened(line)] : [];
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
