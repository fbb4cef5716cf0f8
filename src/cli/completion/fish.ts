import type { CompletedCommand, CompletedOption, Expected } from './complete-words.ts';

/** Completes in fish, which shows what each word is for. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return [
    '# hookloop completion for fish. In ~/.config/fish/config.fish: hookloop completion fish | source',
    'complete -c hookloop -e',
    'complete -c hookloop -f',
    `complete -c hookloop -n __fish_use_subcommand -l version -d ${quoted('which version this is')}`,
    ...commands.flatMap(commandLines),
    '',
  ].join('\n');
}

function commandLines({ name, summary, options, arguments: expected }: CompletedCommand): string[] {
  const inside = `complete -c hookloop -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c hookloop -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map(option => `${inside} ${optionWords(option)}`),
    ...expected.flatMap(one => (one.kind === 'any' ? [] : `${inside} ${valueWords(one)}`)),
  ];
}

const optionWords = ({ name, short, doc, value }: CompletedOption): string =>
  [
    ...(short ? [`-s ${short}`] : []),
    `-l ${name}`,
    ...(value ? ['-r', valueWords(value)] : []),
    `-d ${quoted(doc)}`,
  ].join(' ');

function valueWords(expected: Expected): string {
  switch (expected.kind) {
    case 'words':
      return `-a ${quoted(expected.words.join(' '))}`;
    case 'sessions':
      return `-a '(hookloop completion --sessions 2>/dev/null)'`;
    case 'folders':
      return `-a '(__fish_complete_directories (commandline -ct))'`;
    case 'files':
      return '-F';
    default:
      return '';
  }
}

/** In fish only a quote and a backslash mean something between quotes. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
