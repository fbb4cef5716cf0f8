import type { Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import type { Match } from '../../model/index.ts';
import type { Spelling } from './events.ts';
import { groupShape } from './shape.ts';

/** Undefined where the matcher is wrong: a hook that wanted a few tools must not run on all. */
export function readMatch(node: Located | undefined, spelling: Spelling, report: Report): Match | undefined {
  const match: Match = { notAgent: 'claude' };
  if (!node) return match;
  const matcher = read(node, groupShape.fields.matcher, report);
  if (matcher === undefined) return undefined;
  const subject = subjects[spelling];
  if (!subject || matcher === '' || matcher === '*') return match;
  if (!isNameList(matcher) && !isRegExp(matcher)) {
    report.error(node.span, `"${matcher}" is not a regular expression`, 'write names split by |, or *');
    return undefined;
  }
  return subject === 'tool'
    ? { ...match, tool: { kind: 'matcher', matcher } }
    : { ...match, field: { name: subject, matcher, ...(missing[subject] && { otherwise: missing[subject] }) } };
}

/** What a matcher looks at. Claude Code ignores matchers of other events without a word. */
const subjects: { readonly [S in Spelling]?: string } = {
  PreToolUse: 'tool',
  PermissionRequest: 'tool',
  PostToolUse: 'tool',
  PostToolUseFailure: 'tool',
  SessionStart: 'source',
  SessionEnd: 'reason',
  StopFailure: 'error',
};

/** What Claude Code sends where nothing special has happened. */
const missing: Readonly<Record<string, string>> = { source: 'startup', reason: 'other' };

const isNameList = (matcher: string): boolean => /^[\w\- ,|]+$/.test(matcher);

function isRegExp(matcher: string): boolean {
  try {
    return new RegExp(matcher) instanceof RegExp;
  } catch {
    return false;
  }
}
