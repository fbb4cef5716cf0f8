import { dirname, join, resolve } from 'node:path';
import type { DialectConfig, Found, Problem, Reference } from '../../model/index.ts';
import { withFoldersAbove } from '../../platform/folders.ts';
import type { FileText, Look } from './look.ts';

type FoundText = Extract<Found, { kind: 'text' }>;

/**
 * A file behind those that it takes in (`extends`), each once, in the order they are named. One that is missing, cannot be
 * read, or takes in the file that names it is a problem where it is named.
 */
export function withTakenIn(
  file: FoundText,
  dialect: DialectConfig,
  look: Look,
  shown: (path: string) => string,
): { found: FoundText[]; problems: Problem[] } {
  const found: FoundText[] = [];
  const problems: Problem[] = [];
  /** By path, the files that each has taken in. */
  const done = new Map<string, readonly string[]>();
  const visit = (current: FoundText, above: readonly FoundText[]): void => {
    const chain = [...above, current];
    const takes = new Set<string>();
    for (const reference of dialect.references?.(current) ?? []) {
      const { path, content } = locate(reference, current, look);
      const named = shown(path);
      if (chain.some(known => known.path === path)) {
        const circle = chain.slice(chain.findIndex(known => known.path === path)).map(known => known.file);
        problems.push(reference.problem(`extends goes in a circle: ${[...circle, named].join(' extends ')}`));
      } else if (content.kind !== 'text') problems.push(notTaken(reference, path, content));
      else {
        if (!done.has(path)) visit({ ...current, path, file: named, text: content.text, isTakenIn: true }, chain);
        for (const taken of [...done.get(path)!, named]) takes.add(taken);
      }
    }
    done.set(current.path, [...takes]);
    found.push({ ...current, ...(takes.size > 0 && { takes: [...takes] }) });
  };
  visit(file, []);
  return { found, problems };
}

/** `npm:NAME` is looked for as packages are, from the file's folder upwards; a path is relative to the file. */
function locate({ text }: Reference, { path }: FoundText, look: Look): { path: string; content: FileText } {
  const folder = dirname(path);
  const paths = text.startsWith('npm:')
    ? withFoldersAbove(folder).map(parent => join(parent, 'node_modules', text.slice('npm:'.length), 'hookloop.yaml'))
    : [resolve(folder, text)];
  for (const candidate of paths) {
    const content = look.text(candidate);
    if (content.kind !== 'absent') return { path: candidate, content };
  }
  return { path: paths[0]!, content: { kind: 'absent' } };
}

function notTaken(reference: Reference, path: string, content: Exclude<FileText, { kind: 'text' }>): Problem {
  const { text } = reference;
  if (content.kind === 'unreadable')
    return reference.problem(`${text} cannot be read: ${content.reason.replace(/^cannot be read: /, '')}`);
  if (!text.startsWith('npm:')) return reference.problem(`${text} does not exist`, `looked for ${path}`);
  const name = text.slice('npm:'.length);
  return reference.problem(`no package ${name} with a hookloop.yaml is installed`, `npm install --save-dev ${name}`);
}
