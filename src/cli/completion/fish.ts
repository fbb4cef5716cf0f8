import {
  type CompletedCommand,
  type CompletedOption,
  type Expected,
  leadingOptions,
  valuedWords,
} from './complete-words.ts';

/** Completes in fish, which shows what each word is for; nothing but the names of sessions starts a process. */
export const fishScript = (
  commands: readonly CompletedCommand[],
): string => `# hookloop completion for fish. In ~/.config/fish/config.fish: hookloop completion fish | source
# The command on the line, how many of its arguments stand before the cursor, and the folder that -C names.
function __hookloop_place
  set -l words (commandline -opc)
  set -l command ''
  set -l position 0
  set -l folder .
  set -l valued ''
  for word in $words[2..]
    if test -n "$valued"
      contains -- $valued -C --directory; and set folder $word
      set valued ''
      continue
    end
    switch $word
      case '--directory=*'
        set folder (string replace -- --directory= '' $word)
      case '-*'
        contains -- "$command $word" ${valuedWords(commands).map(quoted).join(' ')}; and set valued $word
      case '*'
        if test -z "$command"
          set command $word
        else
          set position (math $position + 1)
        end
    end
  end
  printf '%s\\n' "$command" $position $folder
end
function __hookloop_command
  set -l place (__hookloop_place)
  test "$place[1]" = "$argv[1]"
end
function __hookloop_argument
  set -l place (__hookloop_place)
  test "$place[1]" = "$argv[1]"; and test "$place[2]" -ge "$argv[2]"; and test "$place[2]" -le "$argv[3]"
end
function __hookloop_sessions
  set -l place (__hookloop_place)
  command hookloop completion --sessions $place[3] 2>/dev/null
end
complete -c hookloop -e
complete -c hookloop -f
${[
  ...leadingOptions.map(option => `complete -c hookloop -n ${quoted("__hookloop_command ''")} ${optionWords(option)}`),
  ...commands.flatMap(({ name, summary }) =>
    ["''", 'help'].map(
      before =>
        `complete -c hookloop -n ${quoted(`__hookloop_argument ${before} 0 0`)} -a ${name} -d ${quoted(summary)}`,
    ),
  ),
  ...commands.flatMap(commandLines),
].join('\n')}
`;

const commandLines = ({ name, options, arguments: expected, repeats }: CompletedCommand): string[] => [
  ...options.map(option => `complete -c hookloop -n ${quoted(`__hookloop_command ${name}`)} ${optionWords(option)}`),
  ...expected.flatMap((one, at) => {
    const last = repeats && at === expected.length - 1 ? most : at;
    const when = quoted(`__hookloop_argument ${name} ${at} ${last}`);
    return one.kind === 'any' ? [] : `complete -c hookloop -n ${when} ${valueWords(one)}`;
  }),
];

/** More words than a line has. */
const most = 9999;

function optionWords({ name, short, doc, value }: CompletedOption): string {
  const takes = value === undefined ? [] : value.kind === 'files' ? ['-r', '-F'] : ['-x', valueWords(value)];
  return [...(short ? [`-s ${short}`] : []), `-l ${name}`, ...takes, `-d ${quoted(doc)}`].join(' ');
}

function valueWords(expected: Expected): string {
  switch (expected.kind) {
    case 'words':
      return `-a ${quoted(expected.words.join(' '))}`;
    case 'sessions':
      return `-a '(__hookloop_sessions)'`;
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
