import { looksAround } from '../actions/judge/judge-question.ts';
import { loadSettings } from '../hooks/discovery/find-files.ts';
import type { Look } from '../hooks/discovery/look.ts';
import { type HookDefinition, isJudge, type Places, type Problem } from '../model/index.ts';
import { needsJudge } from './check-references.ts';
import { waysOf } from './events.ts';

/** Warns of hooks that ask a model where no one can answer: those that let through what they cannot judge would do so in silence. */
export function judgeProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const asking = hooks.filter(needsJudge);
  if (asking.length === 0) return [];
  const { judge, agent } = loadSettings(places, look);
  const spec = judge ?? agent;
  return asking.flatMap(hook => {
    if (spec === undefined)
      return hook.onFailure === 'continue' && isAskedOutside(hook)
        ? warningOf(
            hook,
            'outside hookloop run there is no one to ask, so this hook decides nothing there',
            'write judge: { agent: ... } in hookloop.yaml',
          )
        : [];
    if (!spec.startsWith('command:') || !isJudge(hook.action) || !looksAround(hook.action)) return [];
    return warningOf(
      hook,
      `an agent hook needs a judge whose tools can be refused, and those of ${spec} cannot: it is never asked`,
      'name another agent in judge: { agent: ... } of hookloop.yaml',
    );
  });
}

/** Agents' own hooks fire its event, and it does not belong to a pipeline. */
const isAskedOutside = ({ event, source: { scope } }: HookDefinition): boolean =>
  scope !== 'stage' && scope !== 'pipeline' && waysOf(event).some(way => way !== 'run');

const warningOf = ({ source: { file, line } }: HookDefinition, message: string, hint: string): Problem[] => [
  { severity: 'warning', message, hint, at: { file, line, column: 1 }, refuses: false },
];
