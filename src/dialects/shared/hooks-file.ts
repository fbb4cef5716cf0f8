import { childOf, flagOf, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import { createReport, type Report } from '../../config/report.ts';
import type { RecordShape } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { Found, HookDefinition, Normalised, Scope } from '../../model/index.ts';
import { type Grammar, readHooksBlock } from './hooks-block.ts';

/** What a YAML file with a `hooks:` block says. `root` is undefined for a file that is empty or cannot be used. */
export interface HooksFile {
  hooks: readonly HookDefinition[];
  root: Extract<Located, { kind: 'map' }> | undefined;
  report: Report;
}

/** Checks the whole file against its shape, its hooks against the grammar. */
export function readHooksFile(
  found: Extract<Found, { kind: 'text' }>,
  shape: RecordShape,
  grammar: Grammar,
): HooksFile {
  const report = createReport(found.file, found.text, true);
  const parsed = parseYaml(found.text);
  for (const flaw of parsed.flaws) report.flaw(flaw);
  if (parsed.kind === 'broken' || !parsed.root || isEmpty(parsed.root)) return { hooks: [], root: undefined, report };
  const root = parsed.root;
  if (root.kind !== 'map') {
    read(root, shape, report);
    return { hooks: [], root: undefined, report };
  }
  // The hooks are read entry by entry below, so that each problem is told once and refuses only where it must.
  const settings = { ...root, entries: root.entries.filter(entry => entry.key !== 'hooks') };
  read(settings, shape, report.refusing(grammar.everyErrorRefuses ?? false));
  const block = childOf(root, 'hooks');
  return { hooks: block ? readHooksBlock(block, grammar, found, report) : [], root, report };
}

const isEmpty = (node: Located): boolean => node.kind === 'scalar' && node.value === null;

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
