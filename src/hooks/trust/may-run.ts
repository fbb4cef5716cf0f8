import { type HookDefinition, printable } from '../../model/index.ts';
import { disablingFile } from './disabling.ts';
import { guardedEvents } from './guarded.ts';
import { needsTrust } from './needs-trust.ts';
import type { MayRun } from './permit.ts';
import { doubtfulGates, type Question, type Standing, standingOf, stateWords } from './standing.ts';

/**
 * Which hooks may run by themselves: those that are trusted as they are. Make one for each event, since trust may be
 * given or taken at any time. Contract: never throws; a gate that may not run refuses, whatever hooks are asked about.
 */
export function createMayRun(question: Question): MayRun {
  let standing: Standing | undefined;
  return (event, given) => {
    // What the agent runs itself is not ours to run, nor to hold back.
    const hooks = given.filter(({ match }) => match.notAgent === undefined || match.notAgent !== event.agent);
    standing ??= standingOf(question);
    const { files, doubt } = standing;
    const isTrusted = (file: string): boolean => files.get(file) === 'trusted';
    if (guardedEvents.has(event.name)) {
      const doubtful = doubtfulGates(standing, question.pins, event);
      if (doubt !== undefined || doubtful.length > 0) return { hooks: [], refusal: refusalText(doubtful, standing) };
    }
    const kept = hooks.filter(hook => !needsTrust(hook) || isTrusted(hook.source.file));
    const left = new Set(hooks.filter(hook => !kept.includes(hook)).map(({ source }) => source.file));
    const notes = [
      left.size > 0 && `hooks of ${listed([...left])} were skipped: ${whySkipped([...left], standing)}`,
      kept.some(needsTrust) && standing.remark,
    ].filter(Boolean);
    return {
      hooks: kept.map(hook => enabled(hook, isTrusted)),
      ...(notes.length > 0 && { note: `hookloop: ${notes.join('; ')}` }),
    };
  };
}

/** A file that nobody has trusted must not put out the user's own hooks. */
function enabled(hook: HookDefinition, isTrusted: (file: string) => boolean): HookDefinition {
  const by = needsTrust(hook) ? undefined : disablingFile(hook);
  if (by === undefined || isTrusted(by)) return hook;
  const { disabled: _disabled, ...rest } = hook;
  return rest;
}

/** Goes to the agent, who cannot mend it, and to the person who can. */
export function refusalText(doubtful: readonly string[], standing: Standing): string {
  const { doubt, remedy } = standing;
  const why = doubt ?? `${listed(doubtful)}: ${wordsOf(doubtful, standing)}`;
  const way =
    remedy === undefined
      ? 'The user can look at them and trust them in a terminal: hookloop trust'
      : `The user has to do this first: ${printable(remedy)}`;
  return `hookloop: refused, because the hooks of this project are not trusted as they are (${printable(why)}). ${way}`;
}

function whySkipped(files: readonly string[], standing: Standing): string {
  const { doubt, remedy } = standing;
  return remedy === undefined
    ? `${wordsOf(files, standing)}; to look at them: hookloop trust`
    : printable(`${doubt}; do this first: ${remedy}`);
}

function wordsOf(files: readonly string[], standing: Standing): string {
  const states = new Set(files.map(file => standing.files.get(file) ?? 'untrusted'));
  return [...states].map(state => stateWords[state]).join(', ');
}

const shownFiles = 3;

/** Names of files are foreign, and stand on one line. */
function listed(files: readonly string[]): string {
  const shown = files.slice(0, shownFiles).map(file => printable(file).replaceAll(/\s/g, ' ').slice(0, 200));
  return files.length > shownFiles ? `${shown.join(', ')} and ${files.length - shownFiles} more` : shown.join(', ');
}
