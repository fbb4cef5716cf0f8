/**
 * The script that `sh -c` gets: the command takes the place of the shell, so that signals reach it.
 * What is more than one simple command would end after its first part then, and stays as it is.
 */
export function execLine(command: string): string {
  const isSimple =
    !/[;&|\n()`]|(^|\s)[{}](\s|$)/.test(command) &&
    !/^\s*([A-Za-z_]\w*=|(if|for|while|until|case|exec|!)\s)/.test(command);
  return isSimple ? `exec ${command.trim()}` : command;
}
