import { type ActionOutcome, printable } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';

/** How a program ended and the last it said, on one line. */
export function lastWords(outcome: ActionOutcome): string {
  const said =
    'stdout' in outcome ? ownLine(outcome.stderr) || lastLine(outcome.stderr) || lastLine(outcome.stdout) : '';
  return said === '' ? howItEnded(outcome) : `${howItEnded(outcome)}: ${said}`;
}

function howItEnded(outcome: ActionOutcome): string {
  if (outcome.kind === 'timed-out') return `not at its end after ${Math.round(outcome.afterMs / 1000)} s`;
  return 'stdout' in outcome || outcome.kind === 'not-started' ? printable(outcomeWords(outcome)) : 'interrupted';
}

const maxLength = 300;

/** What hookloop says of itself tells more than what follows from it. */
function ownLine(text: string): string {
  return shown(text.split('\n').find(line => line.startsWith('hookloop: ')) ?? '');
}

function lastLine(text: string): string {
  return shown(
    text
      .trimEnd()
      .split('\n')
      .findLast(line => line.trim() !== '') ?? '',
  );
}

const shown = (line: string): string => printable(line.trim()).slice(0, maxLength);
