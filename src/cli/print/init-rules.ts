import { backtestDays, type Proposal, type ProposedRule } from '../../app/init/propose-rules.ts';
import type { ChangedFile } from '../../app/init/write-rules.ts';

import { printable } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import { unifiedDiff } from './diff.ts';
import type { Terminal } from './paint.ts';
import { flat } from './text.ts';

/** What is proposed, with what it would have stopped, and what is not and why. */
export function proposalText(proposal: Proposal, files: readonly ChangedFile[], terminal: Terminal): string {
  const { colours } = terminal;
  const { refused, uncheckable, entries } = proposal;
  return [
    ...files.flatMap(({ name, before, after }) => diffLines(unifiedDiff(name, before, after), terminal)),
    '',
    ...entries.flatMap((entry, at) => [...entryLines(entry, at, proposal, terminal), '']),
    ...(refused.length > 0 ? [colours.bold('Not proposed:')] : []),
    ...refused.flatMap(({ proposed, why }) => [
      `  ${quoted(proposed.sentence)}`,
      `    ${flat(`${proposed.event}: ${JSON.stringify(proposed.entry)}`)}`,
      `    ${colours.yellow(flat(why))}`,
    ]),
    ...(uncheckable.length > 0 ? [colours.bold('No hook can check:')] : []),
    ...uncheckable.map(({ sentence, why }) => `  ${quoted(sentence)} ${colours.dim(flat(why))}`),
    '',
  ].join('\n');
}

const quoted = (sentence: string): string => `"${flat(sentence)}"`;

const diffLines = (diff: string, { colours }: Terminal): string[] =>
  diff
    .trimEnd()
    .split('\n')
    .map(line => (line.startsWith('+') ? colours.cyan(printable(line)) : printable(line)));

/** One entry, as it is asked about. */
function entryLines(entry: ProposedRule, at: number, proposal: Proposal, { colours }: Terminal): string[] {
  const { sentence, event, runs, cases } = entry;
  return [
    `${colours.bold(`${at + 1}.`)} ${quoted(sentence)}`,
    `   ${flat(`${event}: ${JSON.stringify(entry.entry)}`)}`,
    ...(runs === undefined
      ? [`   ${counted(cases.length, 'case')} passed; ${stoppedWords(entry, proposal)}`]
      : [`   ${colours.yellow(`RUNS: ${flat(runs)}`)}; it was not run`]),
  ];
}

function stoppedWords({ hook }: ProposedRule, { backtested }: Proposal): string {
  const { calls, changed, told } = backtested;
  const own = changed.filter(({ by }) => by === hook.id);
  const of = `of ${counted(calls, 'call')} in the last ${backtestDays} days`;
  const reminded = told.find(one => one.hook.id === hook.id);
  if (reminded) return `it would have told the agent something at ${reminded.times} ${of}`;
  const examples = [...new Set(own.map(({ about }) => flat(about)))].slice(0, 3).filter(Boolean);
  const shown = examples.length === 0 ? '' : `: ${examples.join(' | ')}`;
  return `it would have stopped ${own.length} ${of}${shown}`;
}

export const takeQuestion = (at: number, of: number): string => `Take ${at + 1} of ${of}? [y/n/all/none]`;

/** A contract with scripts: fields are added, never changed. */
export const rulesJson = (
  { agent, entries, refused, uncheckable, backtested }: Proposal,
  taken: readonly ProposedRule[],
  files: readonly ChangedFile[],
): unknown => ({
  agent,
  files: files.map(({ path }) => path),
  entries: entries.map(entry => ({
    ...{ sentence: entry.sentence, event: entry.event, entry: entry.entry, taken: taken.includes(entry) },
    ...(entry.runs !== undefined && { runs: entry.runs }),
    stopped: backtested.changed.filter(({ by }) => by === entry.hook.id).length,
  })),
  refused: refused.map(({ proposed, why }) => ({
    ...{ sentence: proposed.sentence, event: proposed.event, entry: proposed.entry, why },
  })),
  uncheckable,
  calls: backtested.calls,
});
