import { unifiedDiff } from '../hosts/install/diff.ts';
import type { Mask } from '../secrets/mask.ts';
import { rootMark } from '../trust/canonical.ts';
import type { PinnedFile } from '../trust/pins.ts';
import type { Snapshot } from '../trust/snapshot.ts';
import type { Colours } from './paint.ts';
import { flat } from './table.ts';
import { wholeLine } from './trust-text.ts';

/** What differs between what was trusted and what there is now: hooks, settings and scripts, line by line. */
export function trustDiff(before: Snapshot | undefined, now: Snapshot, mask: Mask, colours: Colours): string {
  if (before === undefined) return 'What was trusted before was not kept, so the changes cannot be shown.\n\n';
  const files = changesOf(before.files, now.files, (name, old, young) =>
    unifiedDiff(`${name} (hooks)`, old && mask(factsText(old)), young && mask(factsText(young))),
  );
  const [old, young] = [scriptsOf(before), scriptsOf(now)];
  const scripts = changesOf(old, young, name => {
    const [was, is] = [textIn(before, old, name), textIn(now, young, name)];
    if (was === null || is === null) return `${name}: its content changed (no text that could be shown)\n`;
    const mode =
      modeOf(old, name) === modeOf(young, name) ? '' : `${name}: ${modeOf(old, name)} -> ${modeOf(young, name)}\n`;
    return mode + (was === is ? '' : unifiedDiff(name, was && mask(was), is && mask(is)));
  });
  const lines = [...files, ...scripts].flatMap(text => text.trimEnd().split(/\r\n|[\n\r\u2028\u2029]/));
  return lines.length === 0
    ? ''
    : `Changes since it was trusted:\n\n${lines.map(line => painted(line, colours)).join('\n')}\n\n`;
}

function changesOf<Value>(
  before: Readonly<Record<string, Value>>,
  now: Readonly<Record<string, Value>>,
  tell: (name: string, before: Value | undefined, now: Value | undefined) => string,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap(name => {
    const [old, young] = [valueIn(before, name), valueIn(now, name)];
    return JSON.stringify(old) === JSON.stringify(young) ? [] : [tell(flat(name), old, young)];
  });
}

const valueIn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const scriptsOf = ({ files }: Snapshot): Record<string, string> =>
  Object.fromEntries(Object.values(files).flatMap(({ scripts }) => Object.entries(scripts)));

/** undefined: there is no such script; null: there is no text of it. */
function textIn(
  { texts }: Snapshot,
  scripts: Readonly<Record<string, string>>,
  name: string,
): string | undefined | null {
  return Object.hasOwn(scripts, name) ? (valueIn(texts, name) ?? null) : undefined;
}

const modeOf = (scripts: Readonly<Record<string, string>>, name: string): string =>
  valueIn(scripts, name)?.split(' ')[0] ?? 'none';

/** One line for every fact, so that a diff shows just what changed. */
function factsText({ hooks, settings }: PinnedFile): string {
  const blocks = hooks.map(hook => `hook ${hook['id']}\n${factLines(hook, '  ').join('')}`);
  return `${factLines(settings, '').join('')}${blocks.join('')}`.replaceAll(rootMark, '<root>');
}

function factLines(value: Readonly<Record<string, unknown>>, indent: string): string[] {
  return Object.entries(value)
    .filter(([key, child]) => key !== 'id' && child !== undefined)
    .flatMap(([key, child]) => {
      if (typeof child === 'object' && child !== null && !Array.isArray(child))
        return factLines(child as Record<string, unknown>, indent).map(line => `${indent}${key}.${line.trimStart()}`);
      const text = typeof child === 'string' ? child : JSON.stringify(child);
      return text.split('\n').map((line, at) => `${indent}${at === 0 ? `${key}: ` : '  '}${line}\n`);
    });
}

function painted(line: string, { red, cyan }: Colours): string {
  const text = `  ${wholeLine(line)}`;
  if (line.startsWith('-')) return red(text);
  return line.startsWith('+') ? cyan(text) : text;
}
