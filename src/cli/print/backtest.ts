import { relative } from 'node:path';
import type { Change } from '../../app/backtest/tally.ts';
import type { Backtested } from '../../app/backtest.ts';
import { counted } from '../../model/words.ts';
import type { Terminal } from './paint.ts';
import { cut, flat, named } from './text.ts';

interface Where {
  home: string | undefined;
  cwd: string;
}

/** So many places are shown to people. */
const maxShown = 50;

/** What the rules would have done, place by place. */
export function backtestText(end: Backtested, print: Where & Terminal): string {
  const { changed, moreChanged, colours } = { ...end, ...print };
  const rest = changed.length + moreChanged - maxShown;
  return [
    colours.bold(summary(end)),
    `Looked at ${sources(end)}.`,
    ...changed.slice(0, maxShown).flatMap(change => ['', ...changeLines(change, print)]),
    ...(rest > 0 ? ['', `... and ${many(rest, 'more')}: hookloop backtest --json has them`] : []),
    ...rulesLines(end),
    '',
  ].join('\n');
}

function summary({ calls, stopped, asked, stoppedBefore, rules }: Backtested): string {
  if (calls === 0) return 'There are no calls of this project to ask about.';
  const also = asked > 0 ? `, and asked a person about ${number(asked)}` : '';
  const before = stoppedBefore > 0 ? ` (${number(stoppedBefore)} of them as it was at the time)` : '';
  if (rules === 0) return `There are no rules here to ask about ${many(calls, 'call')}.`;
  return `These rules would have stopped ${number(stopped)} of ${many(calls, 'call')}${also}${before}.`;
}

function sources({ sessions, files, calls, events }: Backtested): string {
  const others = events - calls;
  const other = others > 0 ? `, with ${many(others, 'other event')}` : '';
  return `${many(sessions, 'session')} of hookloop and ${many(files, 'transcript')} of agents${other}`;
}

function changeLines(change: Change, { colours, columns, ...where }: Where & Terminal): string[] {
  const { session, id, at, was, now, agent, tool, event, about, message, place, rule, by } = change;
  const from = place ? `${shown(place.file, where)}:${place.line}` : `session ${flat(session)} #${id}`;
  const what = [agent, tool ?? event].filter(word => word !== undefined).map(named);
  const words = [at.slice(0, 16).replace('T', ' '), ...what].filter(Boolean).join('  ');
  const decided = place ? now : `was ${was}, now ${now}`;
  const rules = rule ? `${shown(rule.file, where)}:${rule.line}` : named(by);
  return [
    `${colours.bold(cut(from, columns, 'start'))}  ${words}`,
    ...(about === '' ? [] : [`    ${cut(flat(about), columns - 4)}`]),
    `    ${colours.red(decided)} by ${rules}${message === '' ? '' : `: ${cut(flat(message), 160)}`}`,
  ];
}

function rulesLines({ told, notRun }: Backtested): string[] {
  const place = ({ source }: Backtested['told'][number]['hook']): string => `${flat(source.file)}:${source.line}`;
  return [
    ...(told.length + notRun.length > 0 ? [''] : []),
    ...told.map(({ hook, times }) => `${place(hook)} would have told the agent something ${counted(times, 'time')}.`),
    ...notRun.map(
      ({ hook, times }) =>
        `${place(hook)} was not run (${named(hook.name)}), and could have decided ${counted(times, 'time')}.`,
    ),
  ];
}

/** What was passed over, and why. */
export function backtestNotes({ skipped, unread }: Backtested, where: Where): string {
  const { long, damaged, cut: tooLong, elsewhere } = skipped;
  const notes = [
    ...(elsewhere > 0 ? [`${many(elsewhere, 'call')} of other projects left out; --all asks about them too`] : []),
    ...(long > 0 ? [`${many(long, 'line')} longer than 32 MiB skipped`] : []),
    ...(damaged > 0 ? [`${many(damaged, 'damaged line')} skipped`] : []),
    ...(tooLong > 0 ? [`${many(tooLong, 'call')} skipped, whose input is too long for the record of a session`] : []),
    ...unread.map(({ path, why }) => `${shown(path, where)} was not read: ${flat(why)}`),
  ];
  return notes.map(note => `hookloop backtest: ${note}\n`).join('');
}

/** A contract with scripts: fields are added, never changed. */
export const backtestJson = (end: Backtested): unknown => {
  const { events, calls, stopped, asked, stoppedBefore, changed, moreChanged } = end;
  const { sessions, files, skipped, unread, tookMs } = end;
  const times = (each: Backtested['told'][number]) => ({ hook: each.hook.id, name: each.hook.name, times: each.times });
  return {
    ...{ events, changed, calls, stopped, asked, stoppedBefore, moreChanged, sessions, transcripts: files },
    ...{ told: end.told.map(times), notRun: end.notRun.map(times), skipped, unread, tookMs },
  };
};

const number = (value: number): string => value.toLocaleString('en-GB');
const many = (value: number, noun: string): string => counted(value, noun).replace(String(value), number(value));

/** As short as it can be said. */
function shown(path: string, { home, cwd }: Where): string {
  const inside = path.startsWith('/') ? relative(cwd, path) : path;
  if (!inside.startsWith('..')) return flat(inside || path);
  return flat(home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
