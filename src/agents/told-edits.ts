import type { AgentListener } from '../model/agent.ts';

/** More are rather an installation or a checkout than edits. */
const maxFiles = 200;

/** The edits that are told; what is left out is said. */
export function toldEdits(changed: readonly string[], listener: AgentListener): readonly string[] {
  if (changed.length > maxFiles)
    listener.show({ kind: 'log', text: `${changed.length} files changed; the first ${maxFiles} are told` });
  return changed.slice(0, maxFiles);
}
