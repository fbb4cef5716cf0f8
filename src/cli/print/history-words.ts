import type { HookView, SessionBrief, StageView } from '../../session/history/view.ts';
import { resultWords as wordsOfResult } from '../../session/history/words.ts';
import type { Colours } from './paint.ts';
import { flat } from './table.ts';

export { dayOf, hookCounts, hookMarks, shortDuration, timeOf, whenWords } from '../../session/history/words.ts';

/** Paints a word by how well things stand. */
export function paintState(state: SessionBrief['status'] | StageView['status'], colours: Colours) {
  if (state === 'failed' || state === 'damaged' || state === 'lost') return colours.red;
  if (state === 'interrupted' || state === 'crashed') return colours.yellow;
  if (state === 'running') return colours.cyan;
  return state === 'waiting' || state === 'skipped' ? colours.dim : (text: string) => text;
}

/** `12, 3 bad`: for where the counts in words are too wide. */
export function shortHookCounts({ hookRuns, hooksFailed, hooksRefused }: SessionBrief): string {
  const bad = hooksFailed + hooksRefused;
  return bad === 0 ? String(hookRuns) : `${hookRuns}, ${bad} bad`;
}

/** What a hook came to, in a few words. */
export const resultWords = (hook: HookView): string => flat(wordsOfResult(hook));
