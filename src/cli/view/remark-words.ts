import { printable } from '../../model/index.ts';
import type { Remark } from '../../model/notice.ts';
import type { Colours } from '../print/paint.ts';

export type Mask = (text: string) => string;

/** A remark for stderr; warnings and errors say that they are. */
export function remarkWords({ level, text }: Remark, { mask, colours }: { mask: Mask; colours: Colours }): string {
  const said = printable(mask(text)).trimEnd();
  if (level === 'info') return said;
  return `${(level === 'error' ? colours.red : colours.yellow)(level)}: ${said}`;
}
