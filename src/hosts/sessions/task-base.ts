import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import type { Protect } from '../../model/protect.ts';
import { shortHash } from '../../platform/cache.ts';
import { inPrivateFolder, writeAtomically } from '../../platform/files.ts';

/** How the files of a root were at the first call of an agent's session, and what of them was protected then. */
export interface HostBase {
  session: string;
  root: string;
  protect: Protect;
  tree?: string;
  /** By which settings git read the files: names, each with a hash. */
  reading?: Readonly<Record<string, string>>;
  why?: string;
}

const fileFor = (memory: string, { session, root }: Pick<HostBase, 'session' | 'root'>): string =>
  join(memory, 'bases', `${shortHash(`${session}\n${root}`)}.json`);

export function readHostBase(memory: string, of: Pick<HostBase, 'session' | 'root'>): HostBase | undefined {
  const file = fileFor(memory, of);
  if (!existsSync(file)) return undefined;
  const kept = fieldsOf(jsonOf(readFileSync(file, 'utf8')));
  const isSame = kept['session'] === of.session && kept['root'] === of.root && typeof kept['protect'] === 'object';
  return isSame ? (kept as unknown as HostBase) : undefined;
}

/** Contract: throws what the file system says. */
export function keepHostBase(memory: string, base: HostBase): void {
  const file = fileFor(memory, base);
  inPrivateFolder(file, () => writeAtomically(file, JSON.stringify(base)));
}
