import { native } from '../../dialects/index.ts';
import { type HookDefinition, isJudge, type Places, type Problem } from '../../model/index.ts';
import { translate } from './translate.ts';

/** Warns of hooks that a native file has taken over and that still stand in their old one: both run. */
export function bothRun(hooks: readonly HookDefinition[], places: Places): Problem[] {
  return (['project', 'user'] as const).flatMap(scope => {
    const here = hooks.filter(({ source, root }) => source.scope === scope && root === undefined);
    const taken = new Map(here.filter(({ source }) => source.dialect === native.name).map(hook => [keyOf(hook), hook]));
    const old = here.filter(({ source }) => source.dialect !== native.name);
    if (taken.size === 0 || old.length === 0) return [];
    const wanted = old.filter(hook => [...taken.values()].some(({ event }) => event === hook.event));
    return translate(wanted, places, scope).flatMap(one => {
      const twin = one.kind === 'entry' ? taken.get(keyOf(one.now)) : undefined;
      return twin === undefined ? [] : [warningOf(one.hook, twin)];
    });
  });
}

/** What runs, and when. */
function keyOf({ event, action, match }: HookDefinition): string {
  const does =
    action.kind === 'shell' ? action.run : isJudge(action) ? [action.prompt, action.kind, action.tools] : action;
  return JSON.stringify([event, does, Object.entries(match).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

const warningOf = ({ source }: HookDefinition, twin: HookDefinition): Problem => ({
  severity: 'warning',
  message: `${twin.source.file}:${twin.source.line} has this hook as well, so it runs twice`,
  hint: 'remove one of the two',
  at: { file: source.file, line: source.line, column: 1 },
  refuses: false,
});
