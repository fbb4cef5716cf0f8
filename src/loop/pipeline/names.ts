import { basename, dirname } from 'node:path';

/** Names of stages and pipelines become parts of paths, so they hold nothing that a path or a shell would read as more. */
export const isName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) && !text.endsWith('.');

export const nameRule = 'letters, digits, ".", "_" and "-", at most 64, the first a letter or digit';

/** What a loop, stage or pipeline file is called: `NAME.yaml`, or the folder of `NAME/loop.yaml`. */
export function nameOfFile(path: string): string {
  const plain = basename(path).replace(/\.ya?ml$/, '');
  return /^(pipeline|loop|stage)\.ya?ml$/.test(basename(path)) ? basename(dirname(path)) || plain : plain;
}

/** The nearest name that obeys the rule. */
export function toName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/[^A-Za-z0-9]+$/, '');
  return name === '' ? otherwise : name;
}
