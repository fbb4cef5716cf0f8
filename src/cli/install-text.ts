import type { InstallScope } from '../hosts/host.ts';
import type { AgentName } from '../hosts/index.ts';
import type { Doing, Elsewhere } from '../hosts/install/install.ts';

export interface Changed {
  doing: Doing;
  agent: AgentName;
  scope: InstallScope;
  /** As people are shown it. */
  file: string;
  kind: 'change' | 'same';
  /** Hooks of the project are not trusted yet. */
  isWaiting: boolean;
  /** This program is one that npx has fetched. */
  isPassing: boolean;
  /** What else holds entries of ours, after those of one file were taken out. */
  others: readonly Elsewhere[];
}

/** What was done, and what has to be done besides. */
export function changeText(changed: Changed): string {
  const { doing, agent, scope, file, kind, isWaiting, isPassing } = changed;
  if (doing === 'uninstall') return removedText(changed);
  const trust = isWaiting ? [untrusted] : [];
  if (kind === 'same') return [`${agent} calls Hookloop already (${file})`, ...trust].join('\n');
  const ofProject = scope === 'user' ? undefined : projectHints[agent];
  const passing = isPassing ? 'This copy came with npx and may vanish: npm install -g hookloop' : undefined;
  const hints = [ofProject, agentHints[agent], passing].filter(line => line !== undefined);
  return [`${agent} now calls Hookloop (${file})`, ...hints, ...trust].join('\n');
}

function removedText({ agent, file, kind, others }: Changed): string {
  const isNowhere = others.length === 0;
  const gone = isNowhere ? `by ${agent} (${file})` : `from ${file}`;
  const text = kind === 'same' ? `nothing of Hookloop is in ${file}` : `Hookloop is no longer called ${gone}`;
  if (isNowhere) return text;
  const places = others.map(other => `${other.file} (hookloop uninstall ${agent}${scopeFlags[other.scope]})`);
  return `${text}\n${agent} still calls it from ${places.join(' and ')}`;
}

const scopeFlags: Readonly<Record<InstallScope, string>> = { project: '', shared: ' --shared', user: ' --user' };

/** For entries with a path of this machine, in a file that git would commit. */
export const machineOnly = (agent: AgentName, file: string): string =>
  `These entries work on this machine only, and git does not ignore ${file}: do not commit them. To share them: hookloop install ${agent} --shared; for all your projects: --user`;

const untrusted =
  'Hooks of this project run there only after you have looked at them and accepted them: hookloop trust';

const agentHints: Readonly<Partial<Record<AgentName, string>>> = {
  codex: 'Codex runs new hooks only after you have trusted them: start codex and review its hooks.',
};

const projectHints: typeof agentHints = {
  gemini: 'Gemini CLI reads hooks of a project only in a trusted folder.',
  qwen: 'Qwen Code reads hooks of a project only in a trusted folder.',
  cursor: 'Cursor runs hooks of a project only in a trusted workspace.',
};
