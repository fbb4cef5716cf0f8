import type { HookAt, Notice } from '../../model/notice.ts';
import { answerWords } from '../print/answer-words.ts';
import { eventWords, subjectOf } from '../print/event-words.ts';
import { named, shortened } from '../print/foreign.ts';
import { againWords, hookWords } from '../print/hook-words.ts';
import { createProgress, follow, type Progress } from '../print/progress.ts';
import type { Told } from '../print/told.ts';
import { createMessageLines } from './message-lines.ts';
import { createToolTelling, type ToolTelling } from './tool-telling.ts';

export interface Telling {
  progress: Progress;
  /** What a notice is to people: mostly one thing, sometimes none. */
  tell(notice: Notice): readonly Told[];
  /** Where the session is, as `build 2/5`. */
  place(): string;
}

export function createTelling(): Telling {
  const progress = createProgress();
  const messages = createMessageLines(maxMessageLines);
  const tools = createToolTelling();
  const said = (lines: readonly string[]): Told[] => lines.map(line => ({ mark: 'note', text: `agent: ${line}` }));
  return {
    progress,
    tell(notice) {
      follow(progress, notice);
      if (notice.type === 'agent.message') return said(messages.add(notice.text));
      const before = endsMessage(notice) ? said(messages.end()) : [];
      return [...before, ...toldOf(notice, progress, tools)];
    },
    place: () => placeWords(progress),
  };
}

/** Hooks and edits are reported while the agent still speaks; only its own acts end what it says. */
const endsMessage = ({ type }: Notice): boolean =>
  type === 'agent.tool' || /^(turn|iteration|stage|session)\.|^prompt\./.test(type);

const maxMessageLines = 8;

function toldOf(notice: Notice, progress: Progress, tools: ToolTelling): readonly Told[] {
  switch (notice.type) {
    case 'agent.message':
    case 'session.summary':
      return [];
    case 'hook.started':
      return notice.attempt > 1 ? [{ ...againWords(notice), ...placeOf(notice) }] : [];
    case 'hook.finished': {
      const there = { ...progress, iteration: notice.iteration ?? progress.iteration };
      return [{ ...hookWords({ ...notice, subject: subjectOf(notice.event, there) }), ...placeOf(notice) }];
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

/** A hook that nobody waits for may end when the session is elsewhere. */
function placeOf({ event, stage, iteration, maxIterations }: HookAt): Pick<Told, 'place'> {
  if (stage === undefined || event.startsWith('session.')) return {};
  return { place: placeWords(event.startsWith('stage.') ? { stage } : { stage, iteration, maxIterations }) };
}

type Place = { [Key in 'stage' | 'iteration' | 'maxIterations']?: Progress[Key] };

/** As `build 2/5`. */
export function placeWords({ stage, iteration, maxIterations }: Place): string {
  if (stage === undefined) return '';
  const count = iteration === undefined ? '' : ` ${iteration}${maxIterations === undefined ? '' : `/${maxIterations}`}`;
  return `${shortened(named(stage), 24)}${count}`;
}
