import { type CompletedCommand, type CompletedOption, type Expected, leadingOptions } from './complete-words.ts';

/** Completes in zsh, which shows what each word is for; nothing but the names of sessions starts a process. */
export const zshScript = (commands: readonly CompletedCommand[]): string => `#compdef hookloop
# hookloop completion for zsh. In ~/.zshrc: eval "$(hookloop completion zsh)"
# Or as a file _hookloop in a folder of $fpath.
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
_hookloop() {
  local curcontext="$curcontext" state line folder=. ret=1
  local -a commands
  typeset -A opt_args
  local index
  for (( index = 2; index < CURRENT; index++ )); do
    case $words[index] in
      -C|--directory) folder=$words[index+1] ;;
      --directory=*) folder=\${words[index]#*=} ;;
    esac
  done
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  _arguments -C -A '-*' \\
${specs(leadingOptions.flatMap(optionSpecs))}
    '1:command:->command' '*::argument:->argument' && ret=0
  case $state in
    command) _describe -t commands command commands && ret=0 ;;
    argument)
      curcontext="\${curcontext%:*:*}:hookloop-$words[1]:"
      case $words[1] in
        help) _arguments '1:command:->command' && ret=0
          [[ $state = command ]] && _describe -t commands command commands && ret=0 ;;
${commands.map(commandLines).join('\n')}
      esac ;;
  esac
  return ret
}
_hookloop_sessions() {
  local -a names expl
  names=(\${(f)"$(hookloop completion --sessions "$folder" 2>/dev/null)"})
  _wanted sessions expl session compadd -a names
}
# zsh runs a file of $fpath as the function itself.
if [[ "\${funcstack[1]}" = _hookloop ]]; then _hookloop "$@"; else compdef _hookloop hookloop; fi
`;

const commandLines = (command: CompletedCommand): string => `        ${command.name})
          _arguments \\
${specs([...command.options.flatMap(optionSpecs), ...argumentSpecs(command)])}
            && ret=0 ;;`;

const specs = (texts: readonly string[]): string => texts.map(text => `            ${quoted(text)} \\`).join('\n');

function optionSpecs({ name, short, doc, repeats, value, shown }: CompletedOption): string[] {
  const about = `[${doc.replaceAll(/[\\[\]:]/g, String.raw`\$&`)}]`;
  const action = value ? `:${messageOf(shown ?? name)}:${actionFor(value)}` : '';
  const before = repeats ? '*' : short ? `(-${short} --${name})` : '';
  return [
    `${before}--${name}${value ? '=' : ''}${about}${action}`,
    ...(short ? [`${before}-${short}${value ? '+' : ''}${about}${action}`] : []),
  ];
}

const argumentSpecs = ({ arguments: expected, shownArguments, repeats }: CompletedCommand): string[] =>
  expected.map((one, at) => {
    const place = repeats && at === expected.length - 1 ? '*' : `${at + 1}`;
    return `${place}:${messageOf(shownArguments[at]!)}:${actionFor(one)}`;
  });

const messageOf = (shown: string): string => shown.replaceAll(/[[\].:]/g, '');

function actionFor(expected: Expected): string {
  switch (expected.kind) {
    case 'words':
      return `(${expected.words.join(' ')})`;
    case 'sessions':
      return '_hookloop_sessions';
    case 'folders':
      return '_files -/';
    case 'files':
      return '_files';
    default:
      return ' ';
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
