import { skipBlanks } from './list.ts';
import { type Command, doubt, enter, giveUp, type Scan } from './scan.ts';
import { readWord } from './word.ts';

const operator = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>|&>>|&>/y;

/** From the operator to behind its target; the body of a here-document follows later, after the line. */
export function readRedirection(scan: Scan, command: Command): void {
  const { text } = scan;
  const at = scan.at;
  operator.lastIndex = at;
  const found = operator.exec(text)?.[0] ?? '';
  scan.at += found.length;
  skipBlanks(scan);
  const next = text[scan.at];
  const endsHere = next === undefined || '\n;&|()'.includes(next) || ('<>'.includes(next) && text[scan.at + 1] !== '(');
  if (endsHere || found === '') {
    giveUp(scan, 'a redirection has no target', at);
    return;
  }
  const isHeredoc = found === '<<' || found === '<<-';
  const firstChange = scan.changes.length;
  const before = isHeredoc ? enter(scan, 'delimiter') : scan.quoting;
  const target = readWord(scan);
  if (isHeredoc) {
    const source = text.slice(target.start, target.end);
    if (/[$`\n]/.test(source)) doubt(scan, 'the end mark of a here-document is not plain text', at);
    for (const change of scan.changes.slice(firstChange)) change.quoting = 'delimiter';
    enter(scan, before);
  }
  const redirection = { operator: found, target };
  command.redirections.push(redirection);
  if (isHeredoc) scan.pending.push(redirection);
}
