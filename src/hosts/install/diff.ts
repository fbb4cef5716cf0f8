/** A unified diff of two texts; undefined is a file that is not there. */
export function unifiedDiff(name: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [linesOf(before ?? ''), linesOf(after ?? '')];
  const changes = compare(old, now);
  const head = [
    before === undefined ? '--- /dev/null' : `--- a/${name}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${name}`,
  ];
  return [...head, ...hunks(changes)].map(line => `${line}\n`).join('');
}

interface Line {
  sign: ' ' | '-' | '+';
  text: string;
}

/** A last line without an end is another line than one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop()!;
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function compare(old: readonly string[], now: readonly string[]): Line[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - start;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return [
    ...old.slice(0, start).map(same),
    ...compareMiddle(old.slice(start, old.length - tail), now.slice(start, now.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

const same = (text: string): Line => ({ sign: ' ', text });
const maxCells = 4_000_000;

/** The longest common subsequence; for very long middles all old lines and then all new ones. */
function compareMiddle(old: readonly string[], now: readonly string[]): Line[] {
  if (old.length * now.length > maxCells)
    return [...old.map(text => ({ sign: '-', text }) as Line), ...now.map(text => ({ sign: '+', text }) as Line)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(same(old[i]!));
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push({ sign: '-', text: old[i]! });
      i += 1;
    } else {
      lines.push({ sign: '+', text: now[j]! });
      j += 1;
    }
  }
  return lines;
}

const context = 3;

function hunks(lines: readonly Line[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = lines.findIndex((line, index) => index >= at && line.sign !== ' ');
    if (first === -1) break;
    let last = first;
    for (let next = first; next < lines.length && next - last <= 2 * context; next += 1)
      if (lines[next]!.sign !== ' ') last = next;
    const [from, to] = [Math.max(at, first - context), Math.min(lines.length, last + context + 1)];
    out.push(header(lines, from, to), ...lines.slice(from, to).map(({ sign, text }) => sign + text));
    at = to;
  }
  return out;
}

function header(lines: readonly Line[], from: number, to: number): string {
  const range = (sign: '-' | '+'): string => {
    const count = (part: readonly Line[]): number =>
      part.filter(line => line.sign === ' ' || line.sign === sign).length;
    const length = count(lines.slice(from, to));
    return `${count(lines.slice(0, from)) + (length === 0 ? 0 : 1)},${length}`;
  };
  return `@@ -${range('-')} +${range('+')} @@`;
}
