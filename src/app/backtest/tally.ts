import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Decision, type HookDefinition, type HookEvent, strictest } from '../../model/index.ts';
import { callFiles, patchIn, shellTextOf } from '../../model/tool-call.ts';
import { oneLine } from '../../model/words.ts';
import type { AnswerWord } from '../answer-word.ts';
import type { PresentRules } from './present-rules.ts';
import type { FoundEvent } from './session-events.ts';
import { newSkippedLines } from './transcript-calls.ts';

/** What would come out otherwise now. */
export interface Change {
  /** Of ours by its name, of an agent's by its id. */
  session: string;
  /** What `why` takes, of ours; else the id of the call. */
  id: string;
  at: string;
  was: AnswerWord;
  now: AnswerWord;
  /** The hook that decides now, or that had decided. */
  by: string;
  rule?: { name: string; file: string; line: number };
  event: string;
  agent?: string;
  tool?: string;
  /** What the call was about, on one line. */
  about: string;
  /** What the agent would be told. */
  message: string;
  /** Where it is written; absent for sessions of ours. */
  place?: { file: string; line: number };
}

export type Tally = ReturnType<typeof createTally>;

const maxChanges = 10_000;

/** Asks the rules about one thing after another, and counts what they say. */
export function createTally(rules: PresentRules, signal: AbortSignal) {
  const counts = {
    ...{ calls: 0, events: 0, stopped: 0, asked: 0, stoppedBefore: 0, sessions: 0, files: 0, moreChanged: 0 },
    skipped: { ...newSkippedLines(), cut: 0, elsewhere: 0 },
  };
  const changed: Change[] = [];
  const seen = new Set<string>();
  let last = Date.now();
  /** A call that was resumed or forked with its conversation stands in several files. */
  const isNew = (event: HookEvent): boolean => {
    const key = keyOf(event);
    if (key === undefined) return true;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  };
  const change = (made: Change): void => {
    if (changed.length < maxChanges) changed.push(made);
    else counts.moreChanged += 1;
  };
  /** Signals are heard between two looks at the clock. */
  const rest = async (): Promise<void> => {
    if (Date.now() - last < 50) return;
    await breathe();
    last = Date.now();
  };
  return {
    counts,
    /** A call that no rule of this project is about. */
    passOver(event: HookEvent): void {
      if (isNew(event)) counts.skipped.elsewhere += 1;
    },
    async call(event: HookEvent, root: string, place: { file: string; line: number }): Promise<void> {
      await rest();
      if (signal.aborted || !isNew(event)) return;
      counts.calls += 1;
      counts.events += 1;
      if (!rules.listensTo(event)) return;
      const { word, by, message } = await rules.ask(event, root);
      if (word === 'proceed') return;
      counts[word === 'ask' ? 'asked' : 'stopped'] += 1;
      const { session = '', toolCallId: id = '', at = '' } = event;
      change({ session, id, at, was: 'proceed', now: word, ...aboutOf(event), ...ruleOf(by), message, place });
    },
    async recorded(found: FoundEvent, session: string, root: string): Promise<void> {
      await rest();
      const { id, at, was, stays, recalled, isCut } = found;
      const event: HookEvent = { ...found.event, session, cwd: found.event.cwd ?? root };
      const isCall = event.name === 'tool.calling';
      if (signal.aborted || (isCall && !isNew(event))) return;
      counts.events += 1;
      if (isCall) counts.calls += 1;
      if (isCut && isCall) counts.skipped.cut += 1;
      if (isCut) return;
      const said = await rules.ask(event, root, recalled);
      const now = strictest([said.result.decision, stays]);
      const [before, after] = [wordOf(was), now === said.result.decision ? said.word : wordOf(now)];
      if (isCall && after !== 'proceed') counts[after === 'ask' ? 'asked' : 'stopped'] += 1;
      if (isCall && after !== 'proceed' && before === after) counts.stoppedBefore += 1;
      if (before === after) return;
      const by = said.by ? ruleOf(said.by) : { by: was.kind === 'proceed' ? '' : was.by };
      const { message } = said;
      change({ session, id: String(id), at, was: before, now: after, ...aboutOf(event), ...by, message });
    },
    end: () => ({
      ...counts,
      changed: changed as readonly Change[],
      notRun: timesOf(rules.notRun),
      told: timesOf(rules.told),
    }),
  };
}

const wordOf = (decision: Decision): AnswerWord => (decision.kind === 'block' && decision.ask ? 'ask' : decision.kind);

/** Ids of models are long and random; where one is short, others may have it too. */
function keyOf({ toolCallId, tool, input }: HookEvent): string | undefined {
  if (toolCallId === undefined) return undefined;
  if (toolCallId.length >= 20) return toolCallId.slice(0, 64);
  const digest = createHash('sha256').update(JSON.stringify([tool, input]) ?? '');
  return `${toolCallId} ${digest.digest('base64').slice(0, 16)}`;
}

const aboutOf = (event: HookEvent): Pick<Change, 'event' | 'agent' | 'tool' | 'about'> => ({
  event: event.name,
  ...(event.agent !== undefined && { agent: event.agent }),
  ...(event.tool !== undefined && { tool: event.tool }),
  about: oneLine(aboutText(event), 200),
});

/** A patch stands where a command may stand; what it is about is its files. */
function aboutText(event: HookEvent): string {
  const command = patchIn(event.input) === undefined ? shellTextOf(event.input) : undefined;
  return command || callFiles(event).join(' ') || event.content || event.message || '';
}

const ruleOf = (hook: HookDefinition | undefined): Pick<Change, 'by' | 'rule'> => ({
  by: hook?.id ?? '',
  ...(hook && { rule: { name: hook.name, file: hook.source.file, line: hook.source.line } }),
});

const timesOf = (counts: ReadonlyMap<HookDefinition, number>): { hook: HookDefinition; times: number }[] =>
  [...counts].map(([hook, times]) => ({ hook, times }));
