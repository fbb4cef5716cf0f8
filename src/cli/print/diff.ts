import { structuredPatch } from 'diff';

/** So many changed lines are compared; of texts that differ more, all old lines and then all new ones are shown. */
const maxEditLength = 1000;
const context = 3;

/** A unified diff of two texts; undefined is a file that is not there. */
export function unifiedDiff(name: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [before ?? '', after ?? ''];
  const patch = structuredPatch(name, name, old, now, undefined, undefined, { context, maxEditLength });
  const hunks = patch?.hunks ?? [replaced(linesOf(old), linesOf(now))];
  const lines = [
    before === undefined ? '--- /dev/null' : `--- a/${name}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${name}`,
    ...hunks.flatMap(hunk => [
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@`,
      ...hunk.lines,
    ]),
  ];
  return lines.map(line => `${line}\n`).join('');
}

/** Of no lines it is the place before them. */
const rangeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

/** A last line without an end is another line than one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop()!;
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

const replaced = (old: readonly string[], now: readonly string[]) => ({
  ...{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length },
  lines: [...old.map(line => `-${line}`), ...now.map(line => `+${line}`)],
});
