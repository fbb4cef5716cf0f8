import { printable } from '../../model/index.ts';
import type { Mask } from '../../model/mask.ts';
import type { Remark, Watcher } from '../../model/notice.ts';
import type { Colours } from '../print/paint.ts';

/** Takes a person's answer to an approval; a rejected promise says that it was not taken. */
export type AnswerApproval = (approval: string, answer: 'approve' | 'reject') => unknown;

/** Where and how a session is shown. */
export interface Shown {
  err(text: string): void;
  /** Hides secrets in remarks and questions; notices come masked. */
  mask: Mask;
  colours: Colours;
  /** undefined: lines are as long as they are. */
  columns: number | undefined;
}

/** A remark for stderr; warnings and errors say that they are. */
export function remarkWords({ level, text }: Remark, { mask, colours }: Pick<Shown, 'mask' | 'colours'>): string {
  const said = printable(mask(text)).trimEnd();
  if (level === 'info') return said;
  return `${(level === 'error' ? colours.red : colours.yellow)(level)}: ${said}`;
}

/** For whoever runs with `--permissions ask` where there is no terminal, or none whose keys can be read. */
export const sayNoOneIsAsked = ({ remark }: Watcher): void =>
  remark({
    level: 'warning',
    text: '--permissions ask: it needs a terminal and nobody can be asked here, so every call that the agent asks about is refused',
  });
