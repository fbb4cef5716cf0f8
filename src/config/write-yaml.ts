import { Document, isMap, isScalar, isSeq, Scalar, type YAMLMap, YAMLSeq } from 'yaml';

/** A value with a remark above it. */
export interface Remarked {
  value: unknown;
  remark?: string;
}

/** Lists of values under names, with what stands beside them: `key: ...` for all of `settings`, then `hooks:` and the lists. */
export interface ListsFile {
  /** Lines at its top. */
  remarks: readonly string[];
  settings: Readonly<Record<string, unknown>>;
  /** The key under which the lists stand. */
  key: string;
  lists: ReadonlyMap<string, readonly Remarked[]>;
}

/** The text of such a file. What fits on a line stands on one. */
export function writeLists({ remarks, settings, key, lists }: ListsFile): string {
  const document = new Document({ ...settings, [key]: {} });
  const points = document.get(key) as YAMLMap;
  points.flow = false;
  for (const [name, listed] of lists) {
    const list = new YAMLSeq();
    for (const { value, remark } of listed) {
      const node = document.createNode(value);
      if (isMap(node)) {
        node.flow = isShort(value);
        for (const { value: part } of node.items) if (isSeq(part) && part.items.every(isScalar)) part.flow = true;
      }
      if (isScalar(node) && typeof value === 'string' && value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
      if (remark !== undefined) node.commentBefore = ` ${oneLine(remark)}`;
      list.items.push(node);
    }
    points.set(name, list);
  }
  document.commentBefore = remarks.map(remark => ` ${oneLine(remark)}`).join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const maxLength = 110;

/** A few plain values, or lists of them. */
function isShort(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isPlain = (one: unknown): boolean => typeof one !== 'object' && !String(one).includes('\n');
  const parts = Object.entries(value);
  const length = parts.reduce((sum, [key, part]) => sum + key.length + String(part).length + 4, 4);
  return length <= maxLength && parts.every(([, part]) => (Array.isArray(part) ? part.every(isPlain) : isPlain(part)));
}

/** A name of a file may hold anything; a remark ends with its line. */
const oneLine = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f\u0085\u2028\u2029]+/g, ' ');
