import { agentNames } from '../../hosts/host.ts';
import { hosts } from '../../hosts/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Of the session that serve may have been started in; they say nothing about whoever asks now. */
const ofSessions = ['SESSION', 'PROGRESS', 'STATUS', 'CTX', 'STAGE', 'ITERATION', 'MAX_ITERATIONS', 'HOOKLOOP_SESSION'];

/** For calls that bring no environment along: ours, without what belongs to where we were started. */
export function environmentFor(words: readonly string[], cwd: string | undefined, env: Env): Env {
  const left: Record<string, string | undefined> = { ...env };
  for (const name of [...ofSessions, 'PWD', 'OLDPWD', ...agentNames.flatMap(each => hosts[each].projectVariables)])
    delete left[name];
  const agent = words[0] === 'hook' ? agentNames.find(name => name === words[1]) : undefined;
  const [variable] = agent === undefined ? [] : hosts[agent].projectVariables;
  return cwd !== undefined && variable !== undefined ? { ...left, [variable]: cwd } : left;
}
