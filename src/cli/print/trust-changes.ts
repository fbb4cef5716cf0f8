import type { TrustChange } from '../../app/trust.ts';
import type { Mask } from '../../hooks/secrets/mask.ts';
import { unifiedDiff } from './diff.ts';
import type { Colours } from './paint.ts';
import { flat } from './text.ts';
import { type Look, wholeLine } from './trust.ts';

/** What differs between what was trusted and what there is now. */
export function changesText(changes: readonly TrustChange[] | 'not-kept', { mask, colours }: Look): string {
  if (changes === 'not-kept') return 'What was trusted before was not kept, so the changes cannot be shown.\n\n';
  const texts = changes.map(change => changeText(change, flat(change.file), mask)).filter(text => text !== '');
  const lines = texts.flatMap(text => text.trimEnd().split(/\r\n|[\n\r\u2028\u2029]/));
  return lines.length === 0
    ? ''
    : `What has changed since you trusted them:\n\n${lines.map(line => painted(line, colours)).join('\n')}\n\n`;
}

function changeText(change: TrustChange, name: string, mask: Mask): string {
  switch (change.kind) {
    case 'file-gone': {
      const lines = change.hooks.map(hook => `-  ${flat(hook.event)}  ${flat(mask(hook.name))}\n`);
      return lines.length === 0 ? `${name}: its settings are gone\n` : `${name} no longer runs:\n${lines.join('')}`;
    }
    case 'hooks':
      return textChange(`${name} (hooks)`, change.before, change.after, mask);
    case 'script-gone':
      return `${name} is gone, or no hook names it any more\n`;
    case 'script': {
      const { isNew, nowExecutable, content } = change;
      const mode =
        nowExecutable === undefined ? '' : `${name} is ${nowExecutable ? 'executable now' : 'no longer executable'}\n`;
      if (content === undefined) return mode;
      const { before, after } = content;
      if (after === undefined || (before === undefined && !isNew))
        return `${mode}${name} ${isNew ? 'is new' : 'has changed'}; it is no text that could be shown\n`;
      return mode + textChange(name, before, after, mask);
    }
  }
}

function textChange(name: string, was: string | undefined, is: string, mask: Mask): string {
  if (was === is) return '';
  const [old, young] = [was && mask(was), mask(is)];
  return old === young ? `${name}: a secret in it has changed\n` : unifiedDiff(name, old, young);
}

function painted(line: string, { red, cyan }: Colours): string {
  const text = `  ${wholeLine(line)}`;
  if (line.startsWith('-')) return red(text);
  return line.startsWith('+') ? cyan(text) : text;
}
