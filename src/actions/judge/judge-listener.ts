import type { AgentListener } from '../../model/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { callKinds } from '../../model/tool-call.ts';
import type { JudgeTools } from './judge-question.ts';

interface JudgeListener extends AgentListener {
  /** What the judge has done without asking, though it may not. */
  overstepped(): string | undefined;
}

const looking: ReadonlySet<string> = new Set(['read', 'search']);

/** Refuses whatever changes something, runs something, leaves the machine, or is of no known kind. */
export function createJudgeListener(tools: JudgeTools): JudgeListener {
  let overstep: string | undefined;
  const isLooking = (event: HookEvent): boolean => {
    const kinds = [...callKinds(event)];
    return kinds.length > 0 && kinds.every(kind => looking.has(kind));
  };
  return {
    async ask(event): Promise<Decision> {
      const { tool } = event;
      if (tools === 'read' && isLooking(event)) return { kind: 'proceed' };
      const may = tools === 'read' ? 'a judge may only read and search' : 'a judge answers without tools';
      return { kind: 'block', reason: `${may}: ${tool ?? 'this tool'} is refused`, by: 'hookloop' };
    },
    // What it does without asking is seen when it has done it, and then its answer does not count.
    calling: async () => ({ kind: 'proceed' }),
    calledAnyway: async () => {},
    async tell(event: HookEvent<'tool.called' | 'tool.failed' | 'file.edited'>) {
      // Edited files are not looked at: others may be at work in the same folder.
      if (event.name !== 'file.edited' && !isLooking(event)) overstep ??= event.tool ?? 'a tool';
    },
    show: () => {},
    overstepped: () => overstep,
  };
}
