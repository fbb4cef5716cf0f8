import { type Remarked, writeLists } from '../../config/yaml.ts';
import { eventNames, type HookDefinition } from '../../model/index.ts';
import { type Entry, shortest } from './native-entry.ts';

/** A hook that is written, and where. */
export interface WrittenHook {
  hook: HookDefinition;
  point: string;
  entry: Entry;
}

/** The text of a native file with these hooks, in their order, under the names of their events. */
export function nativeFile(written: readonly WrittenHook[], settings: Readonly<Record<string, unknown>>): string {
  const points = [...new Set(written.map(({ point }) => point))].toSorted((a, b) => rankOf(a) - rankOf(b));
  const lists = new Map(points.map(point => [point, listOf(written.filter(one => one.point === point))]));
  const remarks = ['Written by hookloop migrate. hookloop list shows what applies here, hookloop check what is wrong.'];
  return writeLists({ remarks, settings, key: 'hooks', lists });
}

const rankOf = (point: string): number => {
  const at = (eventNames as readonly string[]).indexOf(point);
  return at === -1 ? eventNames.length : at;
};

/** Each file is named where its hooks begin. */
const listOf = (written: readonly WrittenHook[]): Remarked[] =>
  written.map(({ hook: { source }, entry }, at) => {
    const isFirst = source.file !== written[at - 1]?.hook.source.file;
    return { value: shortest(entry), ...(isFirst && { remark: `from ${source.file}` }) };
  });
