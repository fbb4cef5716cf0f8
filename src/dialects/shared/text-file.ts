import type { Located, ParseConfig, Span } from '../../config/located.ts';
import { createReport, type Report } from '../../config/report.ts';
import type { DialectConfig, DialectName, Found, HookDefinition, Invocation, Normalised } from '../../model/index.ts';
import { compileCommand, type Plain, quoteReferences, type References, type Refused } from '../../shell/placeholder.ts';

/** A config file while its hooks are read. */
export interface TextFile {
  dialect: DialectName;
  found: FoundText;
  /** Undefined for a file that holds nothing or cannot be parsed. */
  root: Located | undefined;
  report: Report;
}

export type FoundText = Extract<Found, { kind: 'text' }>;

export function openFile(
  found: FoundText,
  { name, badFile }: Pick<DialectConfig, 'name' | 'badFile'>,
  parse: ParseConfig,
): TextFile {
  const report = createReport(found.file, found.text, badFile === 'refuse');
  const parsed = parse(found.text);
  for (const flaw of parsed.flaws) report.flaw(flaw, parsed.kind === 'parsed' ? 'warning' : 'error');
  return { dialect: name, found, root: parsed.kind === 'parsed' ? parsed.root : undefined, report };
}

export const openFiles = (
  found: readonly Found[],
  config: Pick<DialectConfig, 'name' | 'badFile'>,
  parse: ParseConfig,
): readonly TextFile[] => found.filter(file => file.kind === 'text').map(file => openFile(file, config, parse));

export function normaliseFiles(
  files: readonly TextFile[],
  hooksIn: (root: Located, file: TextFile) => readonly HookDefinition[],
): Normalised {
  const hooks = files.flatMap(file => (file.root ? hooksIn(file.root, file) : []));
  return { hooks, problems: files.flatMap(({ report }) => report.problems) };
}

export type GivenHook = Pick<HookDefinition, 'event' | 'spelling' | 'name' | 'action'> & Partial<HookDefinition>;

/** A hook as one entry of a text file gives it, with what most dialects have in common filled in. */
export function hookFrom(
  { dialect, found, report }: TextFile,
  { span }: Located,
  index: number,
  given: GivenHook,
): HookDefinition {
  return {
    id: `${dialect}:${found.file}#${given.spelling}[${index}]`,
    place: { label: dialect, from: found.file },
    match: {},
    wait: true,
    timeoutMs: 30_000,
    onFailure: 'continue',
    onTimeout: given.onFailure ?? 'continue',
    feedback: 'none',
    source: { dialect, scope: found.location.scope, file: found.file, line: report.position(span).line },
    ...given,
  };
}

/** A command, and where its file has it. */
export interface WrittenCommand {
  command: string;
  node: Located;
}

export interface PlaceholderRules {
  /** Global; group 1 is the name. */
  pattern: RegExp;
  variableOf(name: string): string | undefined;
  unknown(name: string): { message: string; hint?: string };
}

/** Values that are numbers, or ids whose form is looked at when the hook runs. */
const plainValues: ReadonlyMap<string, Plain> = new Map([
  ...['ITERATION', 'MAX_ITERATIONS'].map(name => [name, 'number'] as const),
  ...['SESSION', 'STAGE', 'NEXT_STAGE', 'TASK_ID'].map(name => [name, 'id'] as const),
]);
const plainOf = (variable: string): Plain | undefined => plainValues.get(variable.replace(/^HOOK_/, ''));

/** What runs, with placeholders turned into variable references; undefined where that cannot be done safely. */
export function compilePlaceholders(
  written: WrittenCommand,
  rules: PlaceholderRules,
  file: TextFile,
): Invocation | undefined {
  const { pattern, variableOf } = rules;
  const compiled = compileCommand(written.command, { pattern, variableOf, plainOf });
  if (compiled.kind === 'refused') return refuse(written, compiled, file);
  for (const part of compiled.unknown) {
    const { message, hint } = rules.unknown(part.name);
    file.report.warning(spanOf(written, part, file), message, hint);
  }
  return toInvocation('sh', compiled);
}

/** The same for commands that name values as the shell itself does, `${NAME}`. */
export function compileReferences(
  written: WrittenCommand,
  via: 'sh' | 'bash',
  isKnown: References['isKnown'],
  file: TextFile,
): Invocation | undefined {
  const compiled = quoteReferences(written.command, { isKnown, plainOf });
  return compiled.kind === 'refused' ? refuse(written, compiled, file) : toInvocation(via, compiled);
}

const toInvocation = (
  via: 'sh' | 'bash',
  { script, plain }: { script: string; plain: Readonly<Record<string, Plain>> },
): Invocation => ({ via, script, ...(Object.keys(plain).length > 0 && { plain }) });

function refuse(written: WrittenCommand, refused: Refused, file: TextFile): undefined {
  file.report.error(spanOf(written, refused, file), refused.message, refused.hint);
}

/** Where a part of the command stands in the file; the whole command where it is not written there letter by letter. */
function spanOf(
  { command, node: { span } }: WrittenCommand,
  part: { offset: number; length: number },
  { found }: TextFile,
): Span {
  const at = found.text.slice(span.start, span.end).indexOf(command);
  if (at === -1) return span;
  const start = span.start + at + part.offset;
  return { start, end: start + part.length };
}

/** `a, b` as a list; a comma inside braces belongs to the pattern, as in `*.{ts,js}`. */
export function commaList(written: string | readonly string[]): string[] {
  if (typeof written !== 'string') return written.flatMap(commaList);
  const parts = [''];
  let depth = 0;
  for (const character of written) {
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map(part => part.trim()).filter(part => part !== '');
}
