/** The end of every command that `install` writes: how it is found again. */
export const ownMark = '# hookloop';

/** Whether a command in somebody's hook file is an entry of ours. */
export const isOwnCommand = (command: string): boolean =>
  /^(?:(?:'[^'\n]*'|\\')+|[\w./@%+=:,-]+) hook [a-z]+ [\w.]+( --http)?( \|\| exit 2)? # hookloop$/.test(command);

/** The end of every address that `install` writes: no agent sends what stands behind a `#`. */
export const ownFragment = '#hookloop';

const ownUrl = String.raw`http://127\.0\.0\.1:\d{1,5}(/hook/[a-z]+/\w+)\?cwd=([^#\s"]+)#hookloop`;

/** Whether an address in somebody's hook file is an entry of ours. */
export const isOwnUrl = (url: string): boolean => new RegExp(`^${ownUrl}$`).test(url);

/** All such addresses of a text. Its groups: what is called, and the folder it is for, as it stands there. */
export const ownUrls = (): RegExp => new RegExp(ownUrl, 'g');
