import { relative } from 'node:path';
import type { HttpEntries, Installed, InstallRequest, NotInstalled } from '../../app/install.ts';

type Scope = InstallRequest['scope'];
type AgentName = InstallRequest['agent'];

/** What was done, and what has to be done besides. `isPassing`: this program is one that npx has fetched. */
export function installText(request: InstallRequest, installed: Installed, isPassing: boolean): string {
  const { doing, agent, scope } = request;
  const { change, root, isTrustPending, http } = installed;
  const file = shownIn(root, { scope, file: installed.file });
  const text =
    doing === 'uninstall'
      ? removedText(agent, file, installed)
      : [
          change ? `${agent} now calls Hookloop (${file})` : `${agent} already calls Hookloop (${file})`,
          change && scope !== 'user' ? projectHints[agent] : undefined,
          change && agentHints[agent],
          change && isPassing ? 'This copy came with npx and may vanish: npm install -g hookloop' : undefined,
          isTrustPending ? untrusted : undefined,
        ]
          .filter(line => line !== undefined)
          .join('\n');
  return `${[text, ...(http ? httpHints(agent, http) : [])].join('\n')}\n`;
}

/** As people are shown it. */
export const shownIn = (root: string, { scope, file }: { scope: Scope; file: string }): string =>
  scope === 'user' ? file : relative(root, file);

function removedText(agent: AgentName, file: string, { change, root, elsewhere = [] }: Installed): string {
  const isNowhere = elsewhere.length === 0;
  const gone = isNowhere ? `by ${agent} (${file})` : `from ${file}`;
  const text = change ? `Hookloop is no longer called ${gone}` : `${file} has no entries of Hookloop`;
  if (isNowhere) return text;
  const others = elsewhere.map(
    other => `${shownIn(root, other)} (hookloop uninstall ${agent}${scopeFlags[other.scope]})`,
  );
  return `${text}\n${agent} still calls it from ${others.join(' and ')}`;
}

const scopeFlags: Readonly<Record<Scope, string>> = { project: '', shared: ' --shared', user: ' --user' };

const httpHints = (agent: AgentName, { first, port, variable, tokenFile }: HttpEntries): string[] => [
  `Calls around tools go to hookloop serve at http://127.0.0.1:${port}. ${first} starts it when it is not running; while it cannot be reached, prompts and tools are refused.`,
  `${agent} needs its token: put this into your shell's profile, and restart ${agent}`,
  `  export ${variable}="$(cat ${tokenFile})"`,
];

/** Why `--http` cannot be had. */
export const httpWords = (
  agent: AgentName,
  found: Extract<NotInstalled, { kind: 'no-http' | 'http-elsewhere' }>,
): string =>
  found.kind === 'no-http'
    ? `--http is not for ${agent}: ${found.why ?? 'its hooks are commands; the launcher asks serve for them'}`
    : '--http is only for this checkout: the entries name a port of this machine and this folder';

export const httpJson = ({ port, variable, tokenFile }: HttpEntries) => ({
  url: `http://127.0.0.1:${port}`,
  variable,
  tokenFile,
});

/** What people should know whatever they asked to be printed. */
export function warningsOf({ agent }: InstallRequest, { file, root, isCommittable, portFinding }: Installed): string[] {
  return [
    ...(isCommittable
      ? [
          `These entries work on this machine only, and git does not ignore ${relative(root, file)}: do not commit them. To share them: hookloop install ${agent} --shared; for all your projects: --user`,
        ]
      : []),
    ...(portFinding
      ? [`warning: ${portFinding.message}; prompts and tools are refused then\n  do: ${portFinding.fix}`]
      : []),
  ];
}

const untrusted = 'The hooks of this project run there only after you have reviewed and accepted them: hookloop trust';

const agentHints: Readonly<Partial<Record<AgentName, string>>> = {
  codex: 'Codex runs new hooks only after you have trusted them: start codex and review its hooks.',
};

const projectHints: typeof agentHints = {
  gemini: 'Gemini CLI reads hooks of a project only in a trusted folder.',
  qwen: 'Qwen Code reads hooks of a project only in a trusted folder.',
  cursor: 'Cursor runs hooks of a project only in a trusted workspace.',
};
