import type { AgentName } from '../hosts/host.ts';
import type { Evidence } from './canary.ts';
import { lastWords } from './outcome-words.ts';
import type { Finding } from './report.ts';

export interface Proof {
  fires: boolean | null;
  blocks: boolean | null;
  findings: readonly Finding[];
}

/** What a run proves. Null where the agent did not come so far. `isExplained`: other findings say why nothing fires. */
export function proofOf(agent: AgentName, evidence: Evidence, isExplained = false): Proof {
  const { asked, fired, ran, refused, slipped } = evidence;
  const fires = fired ? true : ran || asked > 1 ? false : null;
  const blocks = slipped ? false : refused ? true : null;
  const why = fires === false ? [silence(agent, ran, isExplained)] : missing(agent, evidence, fires, blocks);
  return { fires, blocks, findings: [...why, ...beside(agent, evidence, blocks)] };
}

/** Why something is not proven. */
function missing(
  agent: AgentName,
  { outcome, asked }: Evidence,
  fires: boolean | null,
  blocks: boolean | null,
): Finding[] {
  const ended = lastWords(outcome);
  if (fires === null && asked === 0)
    return [
      error(
        `${agent} ended before it asked its model for anything: ${ended}`,
        `run ${agent} by hand in an empty folder`,
      ),
    ];
  if (fires === null) return [error(`${agent} ended before it used a tool: ${ended}`, `run ${agent} by hand`)];
  if (blocks === false)
    return [
      error(`${agent} ran a command that Hookloop had refused`, `do not rely on gates with this version of ${agent}`),
    ];
  return blocks === null
    ? [error(`${agent} ended before a call could be refused: ${ended}`, `run ${agent} by hand`)]
    : [];
}

function silence(agent: AgentName, ran: boolean, isExplained: boolean): Finding {
  const what = ran ? 'used a tool without calling Hookloop' : 'neither called Hookloop nor used its tool';
  const { fix, ...finding } = error(`${agent} ${what}`, `hookloop install ${agent}, then hookloop doctor ${agent}`);
  return isExplained ? finding : { ...finding, ...(fix !== undefined && { fix }) };
}

/** What is not as it could be, though it is proven. */
function beside(agent: AgentName, { outcome, told }: Evidence, blocks: boolean | null): Finding[] {
  if (blocks !== true) return [];
  const late = outcome.kind === 'timed-out' ? [warning(`${agent} came to no end: ${lastWords(outcome)}`)] : [];
  const deaf = told ? [] : [warning(`${agent} does not tell its model why a call was refused`)];
  return [...late, ...deaf];
}

const error = (message: string, fix: string): Finding => ({ severity: 'error', message, fix });
const warning = (message: string): Finding => ({ severity: 'warning', message });
