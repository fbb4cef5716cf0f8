import { resolve } from 'node:path';
import type { Look } from '../hooks/discovery/look.ts';
import type { Places, Position, Source } from '../model/index.ts';

/** Where a text stands in a hook's entry, behind its key if one is given; the entry's first line where it cannot be seen. */
export type PlaceIn = (source: Source, text: string, key?: string) => Position;

/** No entry of a hook is taken to be longer than so many lines. */
const maxLines = 20;

export function createPlaceIn(places: Places, look: Look): PlaceIn {
  const known = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const lines = known.get(file) ?? linesIn(resolve(places.root, file), look);
    known.set(file, lines);
    return lines;
  };
  return ({ file, line }, text, key) => {
    const lines = linesOf(file).slice(line - 1, line - 1 + maxLines);
    const columns = lines.map(one => columnOf(one, text, key));
    const found = columns.findIndex(column => column !== -1);
    const lineText = lines[Math.max(0, found)];
    if (lineText === undefined) return { file, line, column: 1 };
    const column = found === -1 ? lineText.search(/\S|$/) : columns[found]!;
    const length = found === -1 ? lineText.length - column : text.length;
    return { file, line: line + Math.max(0, found), column: column + 1, lineText, length: Math.max(1, length) };
  };
}

function linesIn(path: string, look: Look): readonly string[] {
  const content = look.text(path);
  return content.kind === 'text' ? content.text.split('\n') : [];
}

function columnOf(line: string, text: string, key: string | undefined): number {
  if (text === '') return -1;
  const before = key === undefined ? undefined : new RegExp(`\\b${key}["']?\\s*[:=]\\s*["']?$`);
  for (let at = line.indexOf(text); at !== -1; at = line.indexOf(text, at + 1))
    if (before === undefined || before.test(line.slice(0, at))) return at;
  return -1;
}
