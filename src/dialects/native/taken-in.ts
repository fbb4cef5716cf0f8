import { dirname, relative } from 'node:path';
import { childOf, type Located } from '../../config/located.ts';
import { createReport, type Report } from '../../config/report.ts';
import { filled } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { HookDefinition, Normalised, Places, Problem, Reference } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { FoundText } from '../shared/text-file.ts';

/** What `extends` names: a path, or a package that is installed. */
export const reference = {
  ...filled(),
  like: '^(\\.{0,2}/\\S|npm:(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$)',
} as const;

export const isReference = (text: string): boolean => new RegExp(reference.like).test(text);

export function referencesIn({ file, text }: FoundText): Reference[] {
  const parsed = parseYaml(text);
  const node = parsed.kind === 'parsed' ? childOf(parsed.root, 'extends') : undefined;
  const report = createReport(file, text, true);
  return (node?.kind === 'list' ? node.items : node ? [node] : []).flatMap(named => {
    // What is no reference is told where the file's shape is.
    if (named.kind !== 'scalar' || typeof named.value !== 'string' || !isReference(named.value)) return [];
    const problem = (message: string, hint?: string): Problem => {
      report.error(named.span, message, hint);
      return report.problems.at(-1)!;
    };
    return [{ text: named.value, problem }];
  });
}

/** A file whose hooks were read, while it is found out which of them are switched off. */
export interface ReadFile extends Pick<Normalised, 'disables'> {
  found: FoundText;
  hooks: HookDefinition[];
  /** What stands behind `disable`. */
  off: readonly Located[];
  /** `mode: shadow` at its top. */
  isShadow: boolean;
  report: Report;
}

/** A hook finds what stands beside its file by HOOKS_DIR; where nothing else is said, that is the root. */
export function inFolder(
  hook: HookDefinition,
  { path, isTakenIn, location }: FoundText,
  { root }: Places,
): HookDefinition {
  if (!isTakenIn && location.scope === 'project') return hook;
  const folder = dirname(path);
  const hooksDir = isInside(folder, root) ? relative(root, folder) : folder;
  return { ...hook, settings: { ...hook.settings, hooksDir } };
}

const isInside = (folder: string, root: string): boolean => folder === root || folder.startsWith(`${root}/`);

/** `mode: shadow` at the top of a file is for its own hooks and those of the files it takes in. */
export function onlyLookOn({ found, isShadow }: ReadFile, files: readonly ReadFile[]): void {
  if (!isShadow) return;
  for (const file of files)
    if (file.found === found || found.takes?.includes(file.found.file))
      file.hooks = file.hooks.map(hook => ({ ...hook, shadow: true }));
}

/** `disable` names hooks of files that were taken in; a name that none of them has would leave a hook on that is meant to be off. */
export function switchOff({ found, off, report }: ReadFile, files: readonly ReadFile[]): void {
  const inherited = files.filter(file => found.takes?.includes(file.found.file));
  for (const node of off) {
    const name = node.kind === 'scalar' ? String(node.value) : '';
    const known = inherited.flatMap(({ hooks }) => hooks.map(hook => hook.name));
    if (!known.includes(name)) {
      const hint =
        didYouMean(name, known) ??
        (known.length > 0 ? `known: ${known.join(', ')}` : 'extends names no file that has hooks');
      report.error(node.span, `no inherited hook is called "${name}"`, hint);
    }
    for (const file of inherited)
      file.hooks = file.hooks.map(hook =>
        hook.name === name ? { ...hook, disabled: `disable in ${found.file}` } : hook,
      );
  }
}
