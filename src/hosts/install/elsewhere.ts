import type { InstallScope } from '../config.ts';
import { quoted } from './launcher.ts';
import { holdingOf, type Wanted } from './plan.ts';
import { type FileText, readFile } from './read-file.ts';

/** A file of another scope that holds entries of ours. */
export interface Elsewhere {
  scope: InstallScope;
  file: string;
}

const scopes: readonly InstallScope[] = ['project', 'shared', 'user'];

/** Every file once: scopes of some agents share one. What cannot be read calls nobody. */
export function calledElsewhere(wanted: Wanted): Elsewhere[] {
  const seen = new Set([holdingOf(wanted, quoted).file]);
  return scopes.flatMap(scope => {
    const holding = holdingOf({ ...wanted, scope }, quoted);
    const { file } = holding;
    const found = seen.has(file) ? undefined : tryRead(file, scope === 'user' ? undefined : wanted.places.root);
    seen.add(file);
    if (found?.kind !== 'text') return [];
    const without = holding.remove(found.text);
    return without.kind === 'text' && without.text !== found.text ? [{ scope, file }] : [];
  });
}

function tryRead(file: string, inside: string | undefined): FileText | undefined {
  try {
    return readFile(file, inside);
  } catch {
    return undefined;
  }
}
