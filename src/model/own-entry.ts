import { goneText, installAgain, orRemoveFrom, ownMark } from './gone.ts';

export interface OwnCommand {
  /** A path, or a name on PATH. */
  program: string;
  /** What stands behind it: `hook AGENT EVENT`. */
  words: string;
  /** The file that the entry stands in: its user is told what to remove from it where the program is gone. */
  file: string;
  /** Where the program is gone or fails the event is refused. */
  refuses: boolean;
}

/**
 * The line of an entry, for any shell that an agent may use. Whether the program is there is asked first: agents take a
 * shell's own words about a missing file for a hook that does not matter, and an empty file for one that agrees.
 */
export function ownCommand({ program, words, file, refuses }: OwnCommand): string {
  const isPath = program.includes('/');
  const start = quoted(program);
  const isThere = isPath ? `test -x ${start} && test -s ${start}` : 'test -s "$(command -v hookloop)"';
  const what = isPath
    ? `${plain(program, 'the program of this hook')} is gone or empty`
    : 'it is not on PATH, or empty';
  const tell = sayAndExit(`hookloop: ${goneText(what, plain(file, 'the settings of the agent'))}`, 1);
  const refuse = refuses ? ` || ${sayAndExit(refusal, 2)}` : '';
  // The launcher keeps from our Node what the environment tells it to load; without it the line does.
  const clean = isPath ? '' : 'NODE_OPTIONS= ';
  return `${isThere} || ${tell} && ${clean}${start} ${words} --from ${quoted(file)}${refuse} ${ownMark}`;
}

/** One word for `sh`, bare where that is the same. */
export const quoted = (word: string): string =>
  /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const refusal = 'hookloop did not answer, so this is refused';

const sayAndExit = (text: string, code: number): string => `sh -c 'echo "${text}" >&2; exit ${code}'`;

/** Without what a shell would take for more than text. */
const plain = (text: string, otherwise: string): string => (plainText.test(text) ? text : otherwise);

const plainText = /^[\w./@%+=:,~ -]+$/;

/** Whether a command in a hook file is an entry of ours. */
export const isOwnCommand = (command: string): boolean => ownLine.test(command) || earlierLine.test(command);

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const word = String.raw`(?:(?:'[^'\n]*'|\\')+|[\w./@%+=:,-]+)`;
const call = String.raw`hook [a-z]+ [\w.]+(?: --http)?`;
const text = '[\\w./@%+=:,~ -]+';
const tell = `sh -c 'echo "hookloop: ${text}; ${literal(installAgain + orRemoveFrom)}${text}" >&2; exit 1'`;
const refuse = literal(` || ${sayAndExit(refusal, 2)}`);
const ownLine = new RegExp(
  String.raw`^(?:test -x (${word}) && test -s \1 \|\| ${tell} && \1|test -s "\$\(command -v hookloop\)" \|\| ${tell} && (?:NODE_OPTIONS= )?hookloop) ${call} --from ${word}(?:${refuse})? ${ownMark}$`,
);
/** As 0.1.0 wrote it. */
const earlierLine = new RegExp(String.raw`^${word} ${call}(?: \|\| exit 2)? # hookloop$`);

/** No agent sends what stands behind the `#`. */
const ownUrl = String.raw`http://127\.0\.0\.1:\d{1,5}(/hook/[a-z]+/\w+)\?cwd=([^#\s"]+)#hookloop`;

/** Whether an address in someone's hook file is an entry of ours. */
export const isOwnUrl = (url: string): boolean => new RegExp(`^${ownUrl}$`).test(url);

/** All such addresses of a text. Its groups: what is called, and the folder it is for, as it stands there. */
export const ownUrls = (): RegExp => new RegExp(ownUrl, 'g');

/** The address of a call that goes straight to serve. `path`: what is called; `folder`: the one it is for. */
export const httpAddress = (port: number, path: string, folder: string): string =>
  `http://127.0.0.1:${port}${path}?cwd=${folder.split('/').map(encodeURIComponent).join('/')}#hookloop`;

/** Whether a field of an entry in a hook file says that the entry is ours. */
export const marksOwn = (key: string, value: unknown): boolean =>
  typeof value === 'string' &&
  (key === 'url' ? isOwnUrl(value) : (key === 'command' || key === 'bash') && isOwnCommand(value));
