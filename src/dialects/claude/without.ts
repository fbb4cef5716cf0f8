import { parseJson } from '../../config/json.ts';
import { removeChild } from '../../config/json-text.ts';
import { childOf, itemsOf, type Located } from '../../config/located.ts';
import type { HookDefinition } from '../../model/index.ts';

/** The settings without these hooks; groups, events and `hooks` itself go with their last one. The rest stays letter by letter. */
export function withoutHooks(text: string, hooks: readonly HookDefinition[]): string | undefined {
  let left: string | undefined = text;
  // From behind, so that the places of those before stay true.
  const places = hooks.map(placeOf).toSorted((a, b) => b.index - a.index);
  for (const place of places) left = left && withoutOne(left, place);
  const root = left === undefined ? undefined : rootOf(left);
  return root?.kind === 'map' && root.entries.length === 0 ? '' : left;
}

interface Place {
  event: string;
  /** Among all entries of the event. */
  index: number;
}

function placeOf({ id, spelling }: HookDefinition): Place {
  return { event: spelling, index: Number(/\[(\d+)\]$/.exec(id)?.[1]) };
}

function rootOf(text: string): Located | undefined {
  const parsed = parseJson(text);
  return parsed.kind === 'parsed' ? parsed.root : undefined;
}

/** What one takes out: the innermost list or map of which something stays. */
function withoutOne(text: string, { event, index }: Place): string | undefined {
  const root = rootOf(text);
  const all = childOf(root, 'hooks');
  const groups = childOf(all, event);
  let at = index;
  for (const [position, group] of itemsOf(groups).entries()) {
    const listed = childOf(group, 'hooks');
    const { length } = itemsOf(listed);
    if (at >= length) {
      at -= length;
      continue;
    }
    if (length > 1) return removeChild(text, listed!, at);
    if (itemsOf(groups).length > 1) return removeChild(text, groups!, position);
    const isOnly = all?.kind === 'map' && all.entries.length === 1;
    const [holder, key] = isOnly ? [root, 'hooks'] : [all, event];
    return holder?.kind === 'map'
      ? removeChild(
          text,
          holder,
          holder.entries.findIndex(entry => entry.key === key),
        )
      : undefined;
  }
  return undefined;
}
