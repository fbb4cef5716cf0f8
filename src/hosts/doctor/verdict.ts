import type { AgentName } from '../host.ts';
import type { Evidence } from './canary.ts';
import { lastWords } from './outcome-words.ts';
import type { Finding } from './report.ts';

export interface Proof {
  fires: boolean | null;
  blocks: boolean | null;
  findings: readonly Finding[];
}

/** What a run proves. Null where the agent did not come so far. */
export function proofOf(agent: AgentName, evidence: Evidence): Proof {
  const { asked, fired, ran, refused, slipped } = evidence;
  const fires = fired ? true : ran || asked > 1 ? false : null;
  const blocks = slipped ? false : refused ? true : null;
  const flaw = flawOf(agent, evidence, fires, blocks);
  return { fires, blocks, findings: flaw === undefined ? flawsBeside(agent, evidence) : [flaw] };
}

/** Why it is not proven that hooks fire and block. */
function flawOf(
  agent: AgentName,
  { outcome, asked, ran, refused }: Evidence,
  fires: boolean | null,
  blocks: boolean | null,
): Finding | undefined {
  const ended = (before: string): Finding =>
    error(`${agent} ended before ${before}: ${lastWords(outcome)}`, `run ${agent} by hand in an empty folder`);
  if (fires === null) return ended(asked === 0 ? 'it asked its model for anything' : 'it used a tool');
  if (fires === false) {
    const what = ran ? 'used a tool without calling Hookloop' : 'neither called Hookloop nor used its tool';
    return error(`${agent} ${what}`, `hookloop install ${agent}, then hookloop doctor ${agent}`);
  }
  if (blocks === null) return ended('a call could be refused');
  if (blocks) return undefined;
  const what = refused
    ? 'ran a command that Hookloop had refused'
    : 'called Hookloop for one command and not for the next';
  return error(`${agent} ${what}`, `do not rely on gates with this version of ${agent}`);
}

/** What could be better, though hooks fire and block. */
function flawsBeside(agent: AgentName, { outcome, told }: Evidence): Finding[] {
  const late = outcome.kind === 'timed-out' ? [warning(`${agent} came to no end: ${lastWords(outcome)}`)] : [];
  const deaf = told ? [] : [warning(`${agent} does not tell its model why a call was refused`)];
  return [...late, ...deaf];
}

const error = (message: string, fix: string): Finding => ({ severity: 'error', message, fix });
const warning = (message: string): Finding => ({ severity: 'warning', message });
