import type { ReplyBody } from './reply-body.ts';

const maxLength = 200;

/** One line of at most 200 characters for the journal: the masked beginning of an answer, and its size if that is not all. */
export function excerptOf({ text, bytes, cut }: ReplyBody, mask: (text: string) => string): string {
  // Masked before it is cut: half a secret is not found any more.
  const line = mask(text)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const size = cut === 'long' ? `more than ${bytes} bytes` : `${bytes} bytes${cut === 'broken' ? ', broken off' : ''}`;
  if (cut === undefined && line.length <= maxLength) return line;
  const end = `... (${size})`;
  const start = line
    .slice(0, maxLength - end.length - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  return start === '' ? end : `${start} ${end}`;
}
