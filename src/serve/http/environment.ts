import { agentNames, hosts } from '../../hosts/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Of the session that serve may have been started in; they say nothing about whoever asks now. */
const ofSessions = ['SESSION', 'PROGRESS', 'STATUS', 'CTX', 'STAGE', 'ITERATION', 'MAX_ITERATIONS', 'HOOKLOOP_SESSION'];
const ofPlaces = ['HOOKLOOP_SESSION_DIR', 'PWD', 'OLDPWD', ...agentNames.flatMap(name => hosts[name].projectVariables)];

/** For calls that bring no environment along: ours, without what belongs to where we were started. */
export const withoutOrigin = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofSessions.includes(name) && !ofPlaces.includes(name)));

/** The folder that an http hook names is its agent's project. */
export function environmentFor(words: readonly string[], cwd: string | undefined, env: Env): Env {
  const agent = words[0] === 'hook' ? agentNames.find(name => name === words[1]) : undefined;
  const [variable] = agent === undefined ? [] : hosts[agent].projectVariables;
  return cwd !== undefined && variable !== undefined ? { ...env, [variable]: cwd } : env;
}
