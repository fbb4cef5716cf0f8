import { isOpen, mark, type Reading } from './reading.ts';

/** Their value is the name of a file where it starts with `@` (or has one in it, behind `-F` and its like). */
const reads = /^(-[a-zA-Z]*[dHbw]|--(data|data-ascii|data-binary|json|header|cookie|write-out|variable))$/;
const readsAnywhere = /^(-[a-zA-Z]*F|--(form|data-urlencode|url-query))$/;
/** Their value is a file to read or write, or settings. */
const names = /^(-[a-zA-Z]*[KToDc]|--(config|upload-file|output|dump-header|cookie-jar|netrc-file|stderr|trace\w*))$/;
const takesText = /^(-[a-zA-Z]*[AeuXm]|--(data-raw|form-string|url|user-agent|referer|user|request|max-time))$/;

/** Marks the words of curl that send a file, or that would be another of its options. */
export function readCurl(reading: Reading, at: number, to: number): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    const before = words[index - 1]!.text ?? '';
    if (word.text !== undefined) continue;
    if (readsAnywhere.test(before)) mark(reading, index, 'content', `curl ${before}`);
    else if (reads.test(before)) readContent(reading, index, before, word.prefix);
    else if (word.prefix.startsWith('-')) readGlued(reading, index, word.prefix);
    else if (isOpen(word) && !takesText.test(before))
      mark(reading, index, names.test(before) ? 'code' : 'option', 'curl');
  }
}

function readContent(reading: Reading, index: number, option: string, text: string): void {
  if (text === '' || text.startsWith('@')) mark(reading, index, 'content', `curl ${option}`);
}

/** `-dTEXT`; curl knows no `--data=TEXT`. */
function readGlued(reading: Reading, index: number, prefix: string): void {
  const option = /^-[dHAeu]/.exec(prefix)?.[0];
  if (option === undefined) mark(reading, index, 'code', 'curl');
  else if (/[dH]/.test(option)) readContent(reading, index, option, prefix.slice(2));
}
