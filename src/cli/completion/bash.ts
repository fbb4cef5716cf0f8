import type { CompletedCommand, Expected } from './complete-words.ts';

/** Completes in bash; nothing but the names of sessions starts a process. */
export const bashScript = (
  commands: readonly CompletedCommand[],
): string => `# hookloop completion for bash. In ~/.bashrc: eval "$(hookloop completion bash)"
${completeFunction(commands)}
complete -F _hookloop hookloop
`;

/** zsh runs the same function. */
export const zshScript = (
  commands: readonly CompletedCommand[],
): string => `# hookloop completion for zsh. In ~/.zshrc, after compinit: eval "$(hookloop completion zsh)"
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
autoload -Uz +X bashcompinit && bashcompinit
${completeFunction(commands)}
complete -F _hookloop hookloop
`;

function completeFunction(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `_hookloop() {
  local IFS=$' \\t\\n'
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local command= word= options= expected= position=0 index=1 skips=0
  # "--option=value" comes as three words.
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    index=$((index + 1))
    if [ "$word" = = ]; then skips=1; continue; fi
    if [ "$skips" = 1 ]; then skips=0; continue; fi
    case "$command $word" in
${valuedPatterns(commands)}) skips=1 ;;
      *' -'*) ;;
      ' '*) command=$word ;;
      *) position=$((position + 1)) ;;
    esac
  done
  case "$command" in
    '') options='-C --json --no-color --help --version' ;;
${commands.map(({ name, options }) => `    ${name}) options='${options.map(option => `--${option.name}`).join(' ')}' ;;`).join('\n')}
  esac
  case "$command $prev" in
    *' -C'|*' --directory') expected=folders ;;
${optionLines(commands).join('\n')}
  esac
  if [ -z "$expected" ]; then
    case "$cur" in
      -*) expected=$options ;;
      *)
        case "$command $position" in
          ' 0') expected='${names} help' ;;
          'help 0') expected='${names}' ;;
${argumentLines(commands).join('\n')}
        esac ;;
    esac
  fi
  case "$expected" in
    ''|any) COMPREPLY=() ;;
    files|folders)
      local flag=-f
      [ "$expected" = folders ] && flag=-d
      IFS=$'\\n'
      COMPREPLY=($(compgen "$flag" -- "$cur"))
      type compopt >/dev/null 2>&1 && compopt -o filenames ;;
    sessions) COMPREPLY=($(compgen -W "$(hookloop completion --sessions 2>/dev/null)" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$expected" -- "$cur")) ;;
  esac
}`;
}

/** Options that the next word belongs to. */
function valuedPatterns(commands: readonly CompletedCommand[]): string {
  const patterns = commands.flatMap(({ name, options }) =>
    options
      .filter(({ name: option, value }) => value !== undefined && option !== 'directory')
      .flatMap(({ name: option, short }) => [`'${name} --${option}'`, ...(short ? [`'${name} -${short}'`] : [])]),
  );
  return ["      *' -C'", "*' --directory'", ...patterns].join('|');
}

const optionLines = (commands: readonly CompletedCommand[]): string[] =>
  commands.flatMap(({ name, options }) =>
    options.flatMap(({ name: option, short, value }) =>
      value === undefined || option === 'directory'
        ? []
        : `    '${name} --${option}'${short ? `|'${name} -${short}'` : ''}) expected='${textOf(value)}' ;;`,
    ),
  );

const argumentLines = (commands: readonly CompletedCommand[]): string[] =>
  commands.flatMap(({ name, arguments: expected }) =>
    expected.map((one, at) => `          '${name} ${at}') expected='${textOf(one)}' ;;`),
  );

const textOf = (expected: Expected): string => (expected.kind === 'words' ? expected.words.join(' ') : expected.kind);
