import type { AgentListener } from '../model/agent.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import { toolKind } from '../model/tools.ts';

/** What a judge may do beside answering: nothing, or look around. */
export type JudgeTools = 'none' | 'read';

export interface JudgeListener extends AgentListener {
  /** What the judge has done without asking, though it may not. */
  overstepped(): string | undefined;
}

const looking: ReadonlySet<string | undefined> = new Set(['read', 'search']);

/** Refuses whatever changes something, runs something, leaves the machine, or is of no known kind. */
export function createJudgeListener(tools: JudgeTools): JudgeListener {
  let overstep: string | undefined;
  const isLooking = (tool: string | undefined): boolean => tool !== undefined && looking.has(toolKind(tool));
  return {
    async ask({ tool }): Promise<Decision> {
      if (tools === 'read' && isLooking(tool)) return { kind: 'proceed' };
      const may = tools === 'read' ? 'a judge may only read and search' : 'a judge answers without tools';
      return { kind: 'block', reason: `${may}: ${tool ?? 'this tool'} is refused`, by: 'hookloop' };
    },
    async tell({ name, tool }: HookEvent<'tool.called' | 'tool.failed' | 'file.edited'>) {
      // Edited files are not looked at: others may be at work in the same folder.
      if (name !== 'file.edited' && !isLooking(tool)) overstep ??= tool ?? 'a tool';
    },
    show: () => {},
    overstepped: () => overstep,
  };
}
