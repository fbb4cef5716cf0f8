import { childOf, itemsOf, type Located } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';

/** Why a text names no agent; undefined where it does. */
export type AgentFlaw = (spec: string) => { message: string; hint?: string } | undefined;

/** Tells of agents and judges that nobody knows, in a loop, stage or pipeline file and in each of its stages. */
export function reportAgents(root: Located, report: Report, flawOf: AgentFlaw): void {
  const stages = ['stages', 'nodes'].flatMap(key => itemsOf(childOf(root, key)));
  for (const node of [root, ...stages].flatMap(agentsOf)) {
    const flaw = flawOf(node.value);
    if (flaw) report.error(node.span, flaw.message, flaw.hint);
  }
}

type Text = Extract<Located, { kind: 'scalar' }> & { value: string };

/** `judge: true` is the stage's own agent. */
function agentsOf(node: Located): Text[] {
  const judge = childOf(childOf(node, 'termination'), 'judge');
  return [childOf(node, 'agent'), judge, childOf(judge, 'agent')].filter(isText);
}

const isText = (node: Located | undefined): node is Text =>
  node?.kind === 'scalar' && typeof node.value === 'string' && node.value.trim() !== '';
