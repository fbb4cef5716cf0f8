import { type CompletedCommand, type Expected, leadingOptions, valuedWords } from './complete-words.ts';

/** Completes in bash, from 3.2 on; nothing but the names of sessions starts a process. */
export const bashScript = (
  commands: readonly CompletedCommand[],
): string => `# hookloop completion for bash. In ~/.bashrc: eval "$(hookloop completion bash)"
_hookloop() {
  local IFS=$' \\t\\n'
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local command= word= folder=. options= expected= position=0 index=1 valued=
  # "--option=value" comes as three words.
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    index=$((index + 1))
    [ "$word" = = ] && continue
    if [ -n "$valued" ]; then
      case "$valued" in -C|--directory) folder=$word ;; esac
      valued=
      continue
    fi
    case "$word" in
      -*)
        case "$command $word" in
          ${valuedWords(commands).map(quoted).join('|')}) valued=$word ;;
        esac ;;
      *) if [ -z "$command" ]; then command=$word; else position=$((position + 1)); fi ;;
    esac
  done
  case "$command" in
    '') options='${leadingOptions.map(({ name }) => `--${name}`).join(' ')}' ;;
${commands.map(({ name, options }) => `    ${name}) options='${options.map(option => `--${option.name}`).join(' ')}' ;;`).join('\n')}
  esac
  case "$command $prev" in
${optionLines(commands).join('\n')}
  esac
  if [ -z "$expected" ]; then
    case "$cur" in
      -*) expected=$options ;;
      *)
        case "$command $position" in
          ' 0') expected='${namesOf(commands)} help' ;;
          'help 0') expected='${namesOf(commands)}' ;;
${commands.flatMap(argumentLines).join('\n')}
        esac ;;
    esac
  fi
  COMPREPLY=()
  case "$expected" in
    ''|any) ;;
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    sessions)
      # compgen -W would expand what is between the names.
      while IFS= read -r word; do
        case "$word" in '') ;; "$cur"*) COMPREPLY[\${#COMPREPLY[@]}]=$word ;; esac
      done <<< "$(hookloop completion --sessions "$folder" 2>/dev/null)" ;;
    *) COMPREPLY=($(compgen -W "$expected" -- "$cur")) ;;
  esac
}
# Only bash 4 can be told to complete files where they are expected; an older one does it wherever there is nothing else.
if type compopt >/dev/null 2>&1; then complete -F _hookloop hookloop; else complete -o default -F _hookloop hookloop; fi
`;

const namesOf = (commands: readonly CompletedCommand[]): string => commands.map(({ name }) => name).join(' ');

const optionLines = (commands: readonly CompletedCommand[]): string[] =>
  [{ name: '', options: leadingOptions }, ...commands].flatMap(({ name, options }) =>
    options.flatMap(({ name: option, short, value }) => {
      if (value === undefined) return [];
      const words = [`${name} --${option}`, ...(short ? [`${name} -${short}`] : [])];
      return `    ${words.map(quoted).join('|')}) expected='${textOf(value)}' ;;`;
    }),
  );

const argumentLines = ({ name, arguments: expected, repeats }: CompletedCommand): string[] =>
  expected.map((one, at) => {
    const place = repeats && at === expected.length - 1 ? `'${name} '*` : quoted(`${name} ${at}`);
    return `          ${place}) expected='${textOf(one)}' ;;`;
  });

const textOf = (expected: Expected): string => (expected.kind === 'words' ? expected.words.join(' ') : expected.kind);

/** Names of commands and options have no quotes. */
const quoted = (text: string): string => `'${text}'`;
