/** The end of every command that `install` writes: how it is found again. */
export const ownMark = '# hookloop';

/** Whether a command in somebody's hook file is an entry of ours. */
export const isOwnCommand = (command: string): boolean =>
  /^(?:(?:'[^'\n]*'|\\')+|[\w./@%+=:,-]+) hook [a-z]+ [\w.]+( \|\| exit 2)? # hookloop$/.test(command);
