import { type ActionKind, type HookDefinition, printable, type RunAction } from '../../model/index.ts';
import { needsTrust } from './needs-trust.ts';
import { type Question, type Standing, standingOf, stateWords } from './standing.ts';
import { ifStillTrusted } from './still-trusted.ts';

export interface TrustCheck {
  /** Why nothing may run. */
  why?: string;
  /** Stands before everything that hooks start: a script may be edited after it was looked at. */
  guard?<Kind extends ActionKind>(run: RunAction<Kind>): RunAction<Kind>;
  /** What people should know in any case. */
  remark?: string;
}

/** For commands that were told to require trust. What is asked about is the whole project, whichever of its hooks are to run. */
export function checkHooks(hooks: readonly HookDefinition[], question: Question): TrustCheck {
  const standing = standingOf(question);
  const { remark } = standing;
  const why = whyNotTrusted(hooks, standing);
  return {
    ...(why === undefined ? { guard: run => ifStillTrusted(run, question.pins) } : { why }),
    ...(remark !== undefined && { remark: `hookloop: ${remark}\n` }),
  };
}

/** Why these hooks may not run, or undefined. */
export function whyNotTrusted(
  hooks: readonly HookDefinition[],
  { files, doubt, remedy }: Standing,
): string | undefined {
  if (doubt !== undefined) return text(doubt, remedy);
  const used = new Set(hooks.filter(needsTrust).map(({ source }) => source.file));
  const wrong = [...files].filter(([file, state]) => state === 'removed' || (used.has(file) && state !== 'trusted'));
  const missing = [...used].filter(file => !files.has(file)).map(file => [file, 'untrusted'] as const);
  const [first] = [...wrong, ...missing];
  return first && text(`${first[0]}: ${stateWords[first[1]]}`);
}

function text(why: string, remedy?: string): string {
  const way = remedy === undefined ? 'look at them and trust them with: hookloop trust' : `do this first: ${remedy}`;
  return `the hooks of this project are not trusted as they are (${printable(why)}); ${printable(way)}`;
}
