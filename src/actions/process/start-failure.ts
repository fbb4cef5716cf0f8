import { accessSync, constants, existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beginningOf, isExecutable } from '../../platform/files.ts';

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

function aboutCode({ code = '', message }: NodeJS.ErrnoException, attempt: StartAttempt): string | undefined {
  if (code === 'ENOENT' || code === 'EACCES') return aboutFile(code, attempt);
  if (code === 'ENAMETOOLONG') return `its path is too long: ${attempt.file.slice(0, 200)}…`;
  if (code === 'ERR_INVALID_ARG_VALUE' && message.includes('null bytes'))
    return 'a NUL character in its command, arguments or environment';
  if (Object.hasOwn(ofFile, code)) return `${ofFile[code]}: ${attempt.file}`;
  return ofSystem[code];
}

const ofFile: Readonly<Record<string, string>> = {
  ELOOP: 'its symbolic links form a loop',
  ENOTDIR: 'a part of its path is not a folder',
  ENOEXEC: 'not a program that this system can run (exec format error)',
  ETXTBSY: 'another program is still writing to it (text file busy)',
};

const ofSystem: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments and environment are too long for the system (argument list too long, E2BIG)',
  EMFILE: 'too many open files (EMFILE)',
  ENFILE: 'too many open files (ENFILE)',
  EAGAIN: 'the system has no room for another process (EAGAIN)',
  ENOMEM: 'the system has no room for another process (ENOMEM)',
};

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
    return `not executable: ${shown}${real === path ? '' : ` (a link to ${real})`}; fix it with: chmod +x ${real}`;
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
  const start = beginningOf(path, 256);
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

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
