import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';

/** Beyond so many lines that differ, looking for what is the same takes longer than people wait. */
const maxEdits = 2000;

/** A unified diff of two texts; undefined is a file that is not there. */
export function unifiedDiff(name: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [before ?? '', after ?? ''];
  const compared = structuredPatch('', '', old, now, '', '', { context: 3, maxEditLength: maxEdits });
  const hunks = compared?.hunks ?? [replaced(old, now)];
  const head = [
    before === undefined ? '--- /dev/null' : `--- a/${name}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${name}`,
  ];
  return `${head.join('\n')}\n${hunks.length === 0 ? '' : formatPatch({ ...noNames, hunks }, OMIT_HEADERS)}`;
}

const noNames = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' };

/** All of the one, then all of the other. */
function replaced(old: string, now: string) {
  const [gone, added] = [linesOf(old, '-'), linesOf(now, '+')];
  return {
    ...{ oldStart: 1, oldLines: gone.length, newStart: 1, newLines: added.length },
    lines: [...gone, ...added].flatMap(line => line.split('\n')),
  };
}

/** A last line without an end is another line than one with it. */
function linesOf(text: string, sign: '-' | '+'): string[] {
  const lines = text.split('\n').map(line => sign + line);
  const last = lines.pop()!;
  return last === sign ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}
