import { realpathSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import type { ContextFile } from '../model/question.ts';
import { readRegularFile } from '../platform/files.ts';

/** A file that is shown with a question, as hooks are told of it. */
export interface ContextPath {
  path: string;
  format: 'markdown' | 'diff' | 'json' | 'text';
}

export const contextPaths = (files: readonly string[], mask: (text: string) => string): ContextPath[] =>
  files.map(file => ({ path: mask(file), format: formats.find(([name]) => name.test(file))?.[1] ?? 'text' }));

const formats: readonly (readonly [RegExp, ContextPath['format']])[] = [
  [/\.(md|markdown)$/i, 'markdown'],
  [/\.(diff|patch)$/i, 'diff'],
  [/\.json$/i, 'json'],
];

export interface ContextFolders {
  /** Files are relative to it. */
  root: string;
  sessionFolder: string;
}

/** What a person sees of the files, taken now. A file that may not be shown, or cannot be, is named with the reason. */
export function takeContext(
  files: readonly string[],
  folders: ContextFolders,
  mask: (text: string) => string,
): ContextFile[] {
  let room = maxBytes;
  const shown = files.slice(0, maxFiles).map(name => {
    const taken = takeFile(name, folders, mask, Math.min(room, maxFileBytes));
    if (taken.kind === 'text') room -= Buffer.byteLength(taken.text);
    return taken;
  });
  const more = files.length - shown.length;
  return more > 0 ? [...shown, notShown(`${more} more`, `only ${maxFiles} files are shown`)] : shown;
}

const maxFiles = 20;
const maxFileBytes = 256 * 1024;
const maxBytes = 1024 * 1024;
const maxReadBytes = 16 * 1024 * 1024;

/** Files that hold secrets by their nature. */
const secretName = /^(secrets\.env|\.env(\..*)?|\.netrc|\.npmrc|id_(rsa|dsa|ecdsa|ed25519))$|\.(pem|key|p12|pfx)$/i;

const notShown = (name: string, why: string): ContextFile => ({ kind: 'not-shown', name, why });

function takeFile(name: string, folders: ContextFolders, mask: (text: string) => string, room: number): ContextFile {
  const path = realPath(resolve(folders.root, name));
  if (path === undefined) return notShown(name, 'it does not exist');
  const allowed = [folders.root, folders.sessionFolder].map(realPath);
  if (!allowed.some(folder => folder !== undefined && path.startsWith(folder === sep ? folder : folder + sep)))
    return notShown(name, 'it is outside the project and the session');
  if ([name, path].some(each => secretName.test(basename(each)))) return notShown(name, 'it may hold secrets');
  const read = readRegularFile(path, maxReadBytes);
  if (read.kind !== 'bytes') return notShown(name, read.kind === 'absent' ? 'it does not exist' : `it ${read.reason}`);
  if (read.bytes.subarray(0, 8192).includes(0)) return notShown(name, `it is not text (${read.bytes.length} bytes)`);
  // Masked whole, so that no secret is cut in two and missed.
  const bytes = Buffer.from(mask(read.bytes.toString('utf8')));
  const text = bytes
    .subarray(0, Math.max(0, room))
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return { kind: 'text', name, text, leftOutBytes: bytes.length - Buffer.byteLength(text) };
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
