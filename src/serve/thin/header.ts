/** What the thin client says first: fields that each end with NUL. */
export interface Header {
  token: string;
  pid: number;
  parent: number;
  /** The program that its launcher would start. */
  program: string;
  words: readonly string[];
}

export type HeaderReading = { kind: 'header'; header: Header } | { kind: 'more' } | { kind: 'bad' };

export const protocol = 'hookloop/1';
const maxBytes = 64 * 1024;
const fixedFields = 6;
const maxWords = 64;

export function readHeader(bytes: Buffer): HeaderReading {
  if (bytes.length > maxBytes) return { kind: 'bad' };
  const fields = bytes.toString('utf8').split('\0');
  // What follows the last NUL is not ended yet.
  const rest = fields.pop();
  const start = fields[0] ?? rest ?? '';
  if (fields.length === 0 ? !`${protocol}`.startsWith(start) : start !== protocol) return { kind: 'bad' };
  if (fields.length < fixedFields) return { kind: 'more' };
  const [, token = '', pid, parent, program = '', count] = fields;
  const [pidNumber, parentNumber, wordCount] = [pid, parent, count].map(wholeNumber);
  if (!pidNumber || parentNumber === undefined || !wordCount || wordCount > maxWords) return { kind: 'bad' };
  if (fields.length < fixedFields + wordCount) return { kind: 'more' };
  // The client waits for us now.
  if (fields.length > fixedFields + wordCount || rest !== '') return { kind: 'bad' };
  const words = fields.slice(fixedFields);
  return { kind: 'header', header: { token, pid: pidNumber, parent: parentNumber, program, words } };
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
