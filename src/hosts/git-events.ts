import type { EventName, HookEvent } from '../model/index.ts';
import { anyGit, callKinds, shellTextsOf } from '../model/tool-call.ts';

/**
 * What a tool call is about to do to the repository, as events of their own: whoever refuses one of them refuses the call.
 * Commands are read only where hooks of these events are wanted; one that no one finds may do all of it.
 */
export async function gitEventsOf(call: HookEvent, isWanted: (name: EventName) => boolean): Promise<HookEvent[]> {
  if (call.name !== 'tool.calling' || !gitEventNames.some(isWanted) || !callKinds(call).has('shell')) return [];
  const { gitEvents } = await import('../shell/git.ts');
  const texts = shellTextsOf(call.input);
  const isOpen = texts.length === 0 || call.facts?.names?.includes(anyGit);
  const names = isOpen ? gitEventNames : texts.flatMap(gitEvents);
  return [...new Set(names)].filter(isWanted).map(name => ({ ...call, name }));
}

export const gitEventNames = ['branch.creating', 'commit.creating'] as const satisfies readonly EventName[];
