import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { isExecutable } from '../../platform/files.ts';

export interface StartAttempt {
  file: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Says why a program did not start, in words its author can act on. Node's own message often blames the wrong file. */
export function describeStartFailure(error: NodeJS.ErrnoException, attempt: StartAttempt): string {
  return aboutFolder(attempt.cwd) ?? aboutCode(error, attempt) ?? error.message;
}

function aboutFolder(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `the working folder is not a folder: ${cwd}`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return `the working folder does not exist: ${cwd}`;
    return code === 'EACCES' ? `the working folder may not be entered: ${cwd}` : `the working folder: ${message}`;
  }
}

function aboutCode({ code, message }: NodeJS.ErrnoException, attempt: StartAttempt): string | undefined {
  const { file } = attempt;
  switch (code) {
    case 'ENOENT':
    case 'EACCES':
      return aboutFile(code, attempt);
    case 'E2BIG':
      return 'its arguments and environment are too long for the system (argument list too long, E2BIG)';
    case 'ELOOP':
      return `symbolic links that lead in a circle: ${file}`;
    case 'ENOTDIR':
      return `a part of its path is not a folder: ${file}`;
    case 'ENAMETOOLONG':
      return `its path is too long: ${file.slice(0, 200)}…`;
    case 'ENOEXEC':
      return `not a program that this system can run (exec format error): ${file}`;
    case 'ETXTBSY':
      return `another program is still writing to it (text file busy): ${file}`;
    case 'EMFILE':
    case 'ENFILE':
      return `too many open files (${code})`;
    case 'EAGAIN':
    case 'ENOMEM':
      return `the system has no room for another process (${code})`;
    case 'ERR_INVALID_ARG_VALUE':
      return message.includes('null bytes') ? 'a NUL character in its command, arguments or environment' : undefined;
    default:
      return undefined;
  }
}

function aboutFile(code: 'ENOENT' | 'EACCES', { file, cwd, env }: StartAttempt): string | undefined {
  if (file === '') return 'the command is empty';
  const path = file.includes('/') ? resolve(cwd, file) : inSearchPath(file, cwd, env['PATH'] ?? '');
  if (path === undefined) return `not found in PATH: ${file}`;
  const shown = path === resolve(cwd, file) ? file : path;
  if (!existsSync(path)) return isLink(path) ? `a link that leads nowhere: ${shown}` : `not found: ${shown}`;
  const real = realpathSync(path);
  const stats = statSync(real);
  if (stats.isDirectory()) return `a folder, not a program: ${shown}`;
  if ((stats.mode & 0o111) === 0) {
    return `not executable: ${shown}${real === path ? '' : ` (a link to ${real})`}; mend it with: chmod +x ${real}`;
  }
  return aboutInterpreter(real, shown, cwd) ?? (code === 'EACCES' ? `permission denied: ${shown}` : undefined);
}

function inSearchPath(file: string, cwd: string, searchPath: string): string | undefined {
  return searchPath
    .split(':')
    .map(folder => join(resolve(cwd, folder), file))
    .find(existsSync);
}

function aboutInterpreter(path: string, shown: string, cwd: string): string | undefined {
  const start = firstBytes(path);
  if (start.startsWith('\x7fELF')) return `the loader this program was built for is missing here: ${shown}`;
  if (!start.startsWith('#!')) return undefined;
  const line = start.split('\n', 1)[0]!;
  if (line.endsWith('\r')) {
    return `Windows line ends (CRLF) in its #! line: ${shown}; save it with LF line ends`;
  }
  const interpreter = line.slice(2).trim().split(/\s/, 1)[0]!;
  if (!existsSync(resolve(cwd, interpreter)))
    return `the interpreter in its #! line does not exist: ${interpreter} (${shown})`;
  return isExecutable(resolve(cwd, interpreter))
    ? undefined
    : `the interpreter in its #! line is not executable: ${interpreter} (${shown})`;
}

function firstBytes(path: string): string {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return '';
    fd = openSync(path, 'r');
    const bytes = Buffer.alloc(256);
    return bytes.toString('latin1', 0, readSync(fd, bytes));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
