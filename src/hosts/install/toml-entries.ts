import { childOf } from '../../config/located.ts';
import { parseToml } from '../../config/toml.ts';
import { quotedInToml } from '../settings-files.ts';
import type { Edit } from './json-entries.ts';

const [begin, end] = ['# hookloop: begin', '# hookloop: end'];

/** Whether a config file holds hooks itself; what it keeps about trust in hooks does not count. */
export function holdsHooks(text: string): boolean {
  const parsed = parseToml(text);
  const hooks = parsed.kind === 'parsed' ? childOf(parsed.root, 'hooks') : undefined;
  return hooks?.kind === 'map' && hooks.entries.some(({ key }) => key !== 'state');
}

/** A block of tables at the end of the file. Each entry is a group of Claude's shape. */
export function addTables(text: string, entries: readonly (readonly [native: string, entry: unknown])[]): Edit {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : eol;
  const block = [begin, ...entries.flatMap(([native, entry]) => tables(native, entry)), end].join(eol);
  return checked(`${text}${gap}${block}${eol}`);
}

export function removeTables(text: string): Edit {
  const found = /(^|\n)# hookloop: begin\r?\n[\s\S]*?\n# hookloop: end(\r?\n|$)/.exec(text);
  if (!found) return { kind: 'text', text };
  return checked(text.slice(0, found.index) + found[1] + text.slice(found.index + found[0].length));
}

export const ownTables = (text: string): string =>
  /# hookloop: begin[\s\S]*?# hookloop: end/.exec(text)?.[0].replaceAll('\r\n', '\n') ?? '';

function tables(native: string, entry: unknown): string[] {
  const { hooks } = entry as { hooks: readonly Record<string, unknown>[] };
  return [
    `[[hooks.${native}]]`,
    ...hooks.flatMap(hook => [
      `[[hooks.${native}.hooks]]`,
      ...Object.entries(hook).map(([key, value]) => `${key} = ${quotedInToml(value)}`),
    ]),
  ];
}

function checked(text: string): Edit {
  const parsed = parseToml(text);
  return parsed.kind === 'broken' ? { kind: 'flaw', flaw: parsed.flaws[0]! } : { kind: 'text', text };
}
