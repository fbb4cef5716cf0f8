import { counted, dayOf, timeOf } from '../model/words.ts';
import type { Inspection } from '../session/journal/repair.ts';
import { flat } from './print/text.ts';

export type Damaged = Extract<Inspection<object>, { kind: 'damaged' }>;

/** What is wrong, what stays and what goes. */
export function damageText(name: string, { damage, kept, lost }: Damaged): string {
  const lastKept = kept.at(-1)?.at;
  const upTo = isTime(lastKept) ? `, the last of ${dayOf(lastKept)} ${timeOf(lastKept)}` : '';
  const results = lost.filter(entry => kindOf(entry) === 'hook.finished').length;
  const again = results > 0 ? `, ${counted(results, 'result')} of hooks among them: those hooks run again` : '';
  return [
    `The journal of session ${name} is damaged.`,
    `  wrong: line ${damage.line}, at byte ${damage.offset}: ${flat(damage.reason)}`,
    `  kept:  ${counted(kept.length, 'record')} before it${upTo}`,
    `  lost:  this line${lost.length > 0 ? ` and ${counted(lost.length, 'readable record')} behind it${again}` : ', and nothing readable is behind it'}`,
    '',
  ].join('\n');
}

/** Whether enough is kept to go on with the session. */
export const canGoOn = ({ kept }: Damaged): boolean => kept[0] !== undefined && kindOf(kept[0]) === 'session.started';

const kindOf = (entry: object): unknown => (entry as { kind?: unknown }).kind;

const isTime = (at: unknown): at is string => typeof at === 'string' && !Number.isNaN(Date.parse(at));
