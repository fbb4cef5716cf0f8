import type { ShadowRefusal } from '../../app/shadow-report.ts';
import { idWords } from '../../model/decision-id.ts';
import { counted, dayOf, timeOf } from '../../model/words.ts';
import type { Terminal } from './paint.ts';
import { cut, firstLines, flat, named, taskId } from './text.ts';
import { toolWords } from './told.ts';

/** What hooks in shadow would have refused, below each hook. */
export function shadowText(
  refusals: readonly ShadowRefusal[],
  session: string | undefined,
  { colours, columns }: Terminal,
): string {
  const where = session === undefined ? 'in this project' : `in session ${session}`;
  if (refusals.length === 0) return `Hooks in shadow would have refused nothing ${where}.\n`;
  const byHook = new Map<string, ShadowRefusal[]>();
  for (const one of refusals) {
    const key = `${one.hook}\n${one.name}`;
    byHook.set(key, [...(byHook.get(key) ?? []), one]);
  }
  const blocks = [...byHook.values()].map(group => {
    const { name, event } = group[0]!;
    return [
      colours.bold(cut(`${named(name)}  ${event}: would have refused ${counted(group.length, 'time')}`, columns)),
      ...group.flatMap(one => refusalLines(one, columns)),
    ];
  });
  const sum = `Hooks in shadow would have refused ${counted(refusals.length, 'time')} ${where}.`;
  return `${[[sum], ...blocks].map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function refusalLines({ at, session, id, agent, about, would, reason }: ShadowRefusal, columns: number): string[] {
  const place =
    id === null
      ? agent === undefined
        ? 'outside sessions'
        : `in ${flat(agent)}`
      : `${flat(session ?? '')} ${idWords(id)}`;
  const subject = subjectOf(about);
  const [why = ''] = firstLines(reason, 1).lines;
  return [
    `  ${dayOf(at)} ${timeOf(at)}  ${place}${subject === '' ? '' : `  ${subject}`}`,
    `    ${consequences[would]}${flat(why)}`,
  ].map(line => cut(line, columns));
}

const consequences = { block: '', revise: 'sent back: ', abort: 'would have ended the session: ' } as const;

function subjectOf({ tool, input, content, task, file }: ShadowRefusal['about']): string {
  if (tool !== undefined) return toolWords(tool, input);
  if (content !== undefined) return `${taskId(task ?? '') === '' ? 'task' : `task ${task}`}: ${flat(content)}`;
  return file === undefined ? '' : flat(file);
}
