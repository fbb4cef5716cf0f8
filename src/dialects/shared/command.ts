import type { Span } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import { compileCommand } from '../../shell/placeholder.ts';

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

/** The script that runs, with placeholders turned into variable references; undefined where that cannot be done safely. */
export function compileWritten(written: WrittenCommand, rules: PlaceholderRules, report: Report): string | undefined {
  const compiled = compileCommand(written.command, { pattern: rules.pattern, variableOf: rules.variableOf });
  if (compiled.kind === 'refused') {
    report.error(spanInside(written, compiled), compiled.message, compiled.hint);
    return undefined;
  }
  for (const place of compiled.unknown) {
    const { message, hint } = rules.unknown(place.name);
    report.warning(spanInside(written, place), message, hint);
  }
  return compiled.script;
}

/** Where a part of the command stands in the file; the whole command where it is not written there letter by letter. */
function spanInside({ command, span, text }: WrittenCommand, part: { offset: number; length: number }): Span {
  const at = text.slice(span.start, span.end).indexOf(command);
  if (at === -1) return span;
  const start = span.start + at + part.offset;
  return { start, end: start + part.length };
}
