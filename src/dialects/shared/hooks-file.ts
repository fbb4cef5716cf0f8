import { childOf, flagOf, isNothing, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import type { RecordShape } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { HookDefinition, Normalised, Scope } from '../../model/index.ts';
import { type Grammar, readHooksBlock } from './hooks-block.ts';
import { type FoundText, openFile } from './text-file.ts';

/** What a YAML file with a `hooks:` block says. `root` is undefined for a file that is empty or cannot be used. */
export interface HooksFile {
  hooks: readonly HookDefinition[];
  /** Those of the parts of the file that have hooks of their own. */
  ofParts: ReadonlyMap<Located, readonly HookDefinition[]>;
  root: Extract<Located, { kind: 'map' }> | undefined;
  report: Report;
}

/** A map inside of a file that has a `hooks:` too. Its label says where it stands: `stages[1]`. */
export interface Part {
  node: Located;
  label: string;
}

/** Checks the whole file against its shape, its hooks against the grammar. */
export function readHooksFile(
  found: FoundText,
  shape: RecordShape,
  grammar: Grammar,
  partsOf: (root: Located) => readonly Part[] = () => [],
): HooksFile {
  const nothing = { hooks: [], ofParts: new Map(), root: undefined };
  const file = openFile(found, { name: grammar.dialect, badFile: 'refuse' }, parseYaml);
  const { root, report } = file;
  if (!root || isNothing(root)) return { ...nothing, report };
  if (root.kind !== 'map') {
    read(root, shape, report);
    return { ...nothing, report };
  }
  // The hooks are read entry by entry below, so that each problem is told once and refuses only where it must.
  const parts = partsOf(root);
  const inside = parts.map(({ node }) => node);
  read(withoutHooks(root, inside), shape, report.refusing(grammar.everyErrorRefuses ?? false));
  const hooksOf = (node: Located): readonly HookDefinition[] => {
    const block = childOf(node, 'hooks');
    return block ? readHooksBlock(block, grammar, file) : [];
  };
  const ofParts = new Map(parts.map(({ node, label }) => [node, hooksOf(node).map(hook => inPart(hook, label))]));
  return { hooks: hooksOf(root), ofParts, root, report };
}

/** The file, and those parts of it, without their `hooks:`. */
export function withoutHooks<Node extends Located>(node: Node, parts: readonly Located[]): Node {
  const reduce = (inner: Located): Located => {
    if (inner.kind === 'list') return { ...inner, items: inner.items.map(reduce) };
    if (inner.kind !== 'map' || (inner !== node && !parts.includes(inner))) return inner;
    const kept = inner.entries.filter(({ key }) => key !== 'hooks');
    return { ...inner, entries: kept.map(entry => ({ ...entry, value: reduce(entry.value) })) };
  };
  return reduce(node) as Node;
}

const inPart = (hook: HookDefinition, label: string): HookDefinition => ({
  ...hook,
  id: `${hook.id.slice(0, hook.id.lastIndexOf('#'))}#${label}.${hook.id.slice(hook.id.lastIndexOf('#') + 1)}`,
  source: { ...hook.source, scope: 'stage' },
});

/** What `disable_global_hooks` leaves out. */
export const globalHooks: Omit<NonNullable<Normalised['disables']>[number], 'why'> = {
  dialects: ['native', 'pipelines'],
  scopes: ['user'],
};

/** `disable_global_hooks: true` puts out the user's hooks in both grammars. */
export function disablesOf({ root, report }: HooksFile, file: string, scope: Scope): Pick<Normalised, 'disables'> {
  const flag = childOf(root, 'disable_global_hooks');
  if (!flag || !flagOf(flag)) return {};
  if (scope === 'user') {
    report.warning(flag.span, 'disable_global_hooks has no effect in a global file', 'write it in hookloop.yaml');
    return {};
  }
  const why = `disable_global_hooks in ${file}`;
  return { disables: [{ ...globalHooks, why }] };
}
