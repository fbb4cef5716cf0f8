import type { Mask } from '../../hooks/secrets/mask.ts';
import { rootMark } from '../../hooks/trust/hashes.ts';
import type { Snapshot } from '../../hooks/trust/keep.ts';
import type { PinnedFile } from '../../hooks/trust/pins.ts';
import { unifiedDiff } from './diff.ts';
import type { Colours } from './paint.ts';
import { flat } from './text.ts';
import { type Look, wholeLine } from './trust.ts';

/** What differs between what was trusted and what there is now. Hooks of new files are not told: they were not trusted at all. */
export function trustChanges(before: Snapshot | undefined, now: Snapshot, { mask, colours }: Look): string {
  if (before === undefined) return 'What was trusted before was not kept, so the changes cannot be shown.\n\n';
  const files = changesOf(before.files, now.files, (name, old, young) => {
    if (old === undefined) return '';
    if (young === undefined) return goneText(flat(name), old, mask);
    return textChange(`${flat(name)} (hooks)`, factsText(old), factsText(young), mask);
  });
  const scripts = changesOf(scriptsOf(before), scriptsOf(now), (path, old, young) => {
    const name = flat(path);
    if (young === undefined) return `${name} is gone, or no hook names it any more\n`;
    const mode = modeWords(name, old, young);
    if (contentIn(old) === contentIn(young)) return mode;
    const [was, is] = [old && valueIn(before.texts, path), valueIn(now.texts, path)];
    if (is === undefined || (old !== undefined && was === undefined))
      return `${mode}${name} ${old === undefined ? 'is new' : 'has changed'}; it is no text that could be shown\n`;
    return mode + textChange(name, was, is, mask);
  });
  const texts = [...files, ...scripts].filter(text => text !== '');
  const lines = texts.flatMap(text => text.trimEnd().split(/\r\n|[\n\r\u2028\u2029]/));
  return lines.length === 0
    ? ''
    : `What has changed since you trusted them:\n\n${lines.map(line => painted(line, colours)).join('\n')}\n\n`;
}

function changesOf<Value>(
  before: Readonly<Record<string, Value>>,
  now: Readonly<Record<string, Value>>,
  tell: (name: string, before: Value | undefined, now: Value | undefined) => string,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap(name => {
    const [old, young] = [valueIn(before, name), valueIn(now, name)];
    return JSON.stringify(old) === JSON.stringify(young) ? [] : [tell(name, old, young)];
  });
}

const valueIn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const scriptsOf = ({ files }: Snapshot): Record<string, string> =>
  Object.fromEntries(Object.values(files).flatMap(({ scripts }) => Object.entries(scripts)));

function goneText(name: string, { hooks }: PinnedFile, mask: Mask): string {
  const lines = hooks.map(hook => `-  ${flat(String(hook['event']))}  ${flat(mask(String(hook['name'])))}\n`);
  return lines.length === 0 ? `${name}: its settings are gone\n` : `${name} no longer runs:\n${lines.join('')}`;
}

/** A script is told as its mode and its hash. */
const contentIn = (script: string | undefined): string | undefined => script?.split(' ').at(-1);

function modeWords(name: string, old: string | undefined, young: string): string {
  const [was, is] = [old, young].map(script => script?.split(' ')[0]);
  if (was === 'executable' && is === 'plain') return `${name} is no longer executable\n`;
  return was === 'plain' && is === 'executable' ? `${name} is executable now\n` : '';
}

function textChange(name: string, was: string | undefined, is: string, mask: Mask): string {
  if (was === is) return '';
  const [old, young] = [was && mask(was), mask(is)];
  return old === young ? `${name}: a secret in it has changed\n` : unifiedDiff(name, old, young);
}

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
