import { type HookDefinition, printable } from '../model/index.ts';
import { needsTrust } from './needs-trust.ts';
import type { Standing } from './standing.ts';

/** For commands that were told to require trust: why these hooks may not run, or undefined. */
export function whyNotTrusted(hooks: readonly HookDefinition[], { files, doubt }: Standing): string | undefined {
  if (doubt !== undefined) return text(doubt);
  const used = new Set(hooks.filter(needsTrust).map(({ source }) => source.file));
  const wrong = [...files].filter(([file, state]) => state === 'removed' || (used.has(file) && state !== 'trusted'));
  const missing = [...used].filter(file => !files.has(file)).map(file => [file, 'untrusted'] as const);
  const [first] = [...wrong, ...missing];
  return first && text(`${first[0]} is ${first[1]}`);
}

const text = (why: string): string =>
  `the hooks of this project are not trusted as they are (${printable(why)}); look at them and trust them with: hookloop trust`;
