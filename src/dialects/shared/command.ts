import type { Span } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import type { Invocation } from '../../model/index.ts';
import type { Plain } from '../../shell/holes.ts';
import { compileCommand, quoteReferences, type References, type Refused } from '../../shell/placeholder.ts';

/** A command as it stands in a config file. */
export interface WrittenCommand {
  command: string;
  span: Span;
  /** The text of the whole file. */
  text: string;
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
export function compileWritten(
  written: WrittenCommand,
  rules: PlaceholderRules,
  report: Report,
): Invocation | undefined {
  const { pattern, variableOf } = rules;
  const compiled = compileCommand(written.command, { pattern, variableOf, plainOf });
  if (compiled.kind === 'refused') return refuse(written, compiled, report);
  for (const place of compiled.unknown) {
    const { message, hint } = rules.unknown(place.name);
    report.warning(spanInside(written, place), message, hint);
  }
  return toInvocation('sh', compiled);
}

/** The same for commands that name values as the shell itself does, `${NAME}`. */
export function compileReferences(
  written: WrittenCommand,
  via: 'sh' | 'bash',
  isKnown: References['isKnown'],
  report: Report,
): Invocation | undefined {
  const compiled = quoteReferences(written.command, { isKnown, plainOf });
  return compiled.kind === 'refused' ? refuse(written, compiled, report) : toInvocation(via, compiled);
}

const toInvocation = (
  via: 'sh' | 'bash',
  { script, plain }: { script: string; plain: Readonly<Record<string, Plain>> },
): Invocation => ({ via, script, ...(Object.keys(plain).length > 0 && { plain }) });

function refuse(written: WrittenCommand, refused: Refused, report: Report): undefined {
  report.error(spanInside(written, refused), refused.message, refused.hint);
}

/** Where a part of the command stands in the file; the whole command where it is not written there letter by letter. */
function spanInside({ command, span, text }: WrittenCommand, part: { offset: number; length: number }): Span {
  const at = text.slice(span.start, span.end).indexOf(command);
  if (at === -1) return span;
  const start = span.start + at + part.offset;
  return { start, end: start + part.length };
}
