import { isRefusal } from '../../session/history/hooks.ts';
import type { HookView, SessionView } from '../../session/history/view.ts';
import { hookMarks, resultWords, shortDuration, timeOf } from './history-words.ts';
import type { Colours } from './paint.ts';
import type { ShowOptions } from './show.ts';
import { cut, flat, gap, row, textWidth } from './table.ts';

const shown = 40;

/** The last runs of hooks below the event they ran for; `log` has them all. */
export function hooksBlock({ hooks, session }: SessionView, options: ShowOptions): string[] {
  const last = hooks.slice(-shown);
  const width = Math.min(
    Math.max(0, ...last.map(({ name }) => textWidth(flat(name)))),
    Math.floor(options.columns / 2),
  );
  const lines = last.flatMap((hook, at) => [
    ...(isSameFiring(hook, last[at - 1]) ? [] : [options.colours.dim(cut(firingLine(hook), options.columns - 2))]),
    ...hookLines(hook, width, options),
  ]);
  if (hooks.length === last.length) return lines;
  const before = `... ${hooks.length - last.length} earlier runs: hookloop log ${session} --hooks`;
  return [options.colours.dim(before), ...lines];
}

const isSameFiring = (hook: HookView, before: HookView | undefined): boolean =>
  before !== undefined &&
  hook.event === before.event &&
  hook.stage === before.stage &&
  hook.iteration === before.iteration;

function firingLine({ at, event, stage, iteration }: HookView): string {
  const place = stage === undefined ? '' : ` in ${flat(stage)}${iteration === undefined ? '' : ` ${iteration}`}`;
  return `${timeOf(at)}  ${flat(event)}${place}`;
}

function hookLines(hook: HookView, width: number, { colours, columns }: ShowOptions): string[] {
  const room = columns - 2;
  const took = hook.durationMs === undefined ? '' : shortDuration(hook.durationMs);
  const facts = [took, hookMarks(hook)].filter(fact => fact !== '').join(', ');
  const words = [resultWords(hook), facts].filter(word => word !== '').join(gap);
  const paint = paintResult(hook, colours);
  const name = cut(flat(hook.name), width);
  const line = row([`  ${name}`, paint(cut(words, Math.max(20, room - width - 4)))], [width + 2, 0]);
  const reason = hook.verdict && 'reason' in hook.verdict ? cut(flat(hook.verdict.reason), room - 6) : '';
  return [line, ...(reason === '' ? [] : [`      ${colours.dim(reason)}`])];
}

function paintResult(hook: HookView, colours: Colours): (text: string) => string {
  if (isRefusal(hook)) return colours.red;
  if (hook.verdict?.kind === 'failed' || hook.status === 'unfinished') return colours.yellow;
  return hook.status === 'running' ? colours.cyan : text => text;
}
