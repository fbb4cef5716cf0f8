import type { Span } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import type { DialectName, Found, HookDefinition } from '../../model/index.ts';

type Given = Pick<HookDefinition, 'event' | 'spelling' | 'name' | 'action'> & Partial<HookDefinition>;

/** A hook as one entry of a text file gives it, with what most dialects have in common filled in. */
export function hookFromFile(
  dialect: DialectName,
  found: Extract<Found, { kind: 'text' }>,
  report: Report,
  span: Span,
  index: number,
  given: Given,
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
