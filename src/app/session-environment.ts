import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { markedEnv, markVariable } from '../actions/process/stop.ts';
import { type AgentContext, credentialsOf, resolveAgent } from '../agents/index.ts';
import type { OpenSession } from '../loop/open.ts';
import type { AgentPort } from '../model/agent.ts';
import { hookVariable } from '../model/control.ts';
import type { HookEvent } from '../model/index.ts';
import { given } from '../model/json.ts';
import { readRegularFile } from '../platform/files.ts';
import type { SessionFiles } from '../session/paths.ts';
import type { Env } from './context.ts';

/** How deep a child is; events that its agent causes elsewhere count from there. */
export const depthVariable = 'HOOKLOOP_DEPTH';

/** How many sessions, one inside the other, a process runs in. */
export const nestingVariable = 'HOOKLOOP_NESTING';

/** What agents and hooks of a session find in their environment beside the user's own. `depth` is a child's. */
export function sessionEnv(
  env: Env,
  paths: SessionFiles,
  mark: string,
  depth?: number,
): Readonly<Record<string, string>> {
  const own = { HOOKLOOP_SESSION: paths.name, HOOKLOOP_SESSION_DIR: paths.folder };
  const ofChild = depth === undefined ? {} : { SPAWN_OUTPUT_FILE: paths.output, [depthVariable]: String(depth) };
  const nesting = { [nestingVariable]: String(Number(env[nestingVariable] ?? 0) + 1) };
  // A hook that starts a session is not one of that session's hooks.
  return setIn({ ...markedEnv(env, mark), ...own, ...ofChild, ...nesting, [hookVariable]: undefined });
}

/** What every program needs to run at all. Anything else may be a secret of whoever started the parent. */
const harmless: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TERM', 'TMPDIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'].flatMap(name => [name, name.toLowerCase()]),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'],
  ...['GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'PIP_CERT', 'CARGO_HTTP_CAINFO', 'DENO_CERT'],
  // So that whatever ends the parent's processes finds the child's too.
  markVariable,
]);

/** The environment that a child gets from its parent: an allow-list and what was named. */
export const childEnv = (env: Env, passed: readonly string[]): Readonly<Record<string, string>> =>
  setIn(
    Object.fromEntries(
      Object.entries(env).filter(
        ([name]) => harmless.has(name) || /^(LC|XDG)_/.test(name) || (passed.includes(name) && !isOurs(name)),
      ),
    ),
  );

/** They say which session a process belongs to, and a child is one of its own. */
const isOurs = (name: string): boolean => name.startsWith('HOOKLOOP_') || name === 'SPAWN_OUTPUT_FILE';

/** The variables that are set. */
export const setIn = (env: Env): Readonly<Record<string, string>> => given(env) as Readonly<Record<string, string>>;

/** The file to which hooks of a session's start write what they export. */
export const envFileIn = (sessionFolder: string): string => join(sessionFolder, 'env.sh');

/** Identifies the content of a file of exports: values in it may be secret, so the journal holds only this. */
export function markOf(file: string): string {
  const found = readRegularFile(file, maxBytes);
  if (found.kind !== 'bytes') return found.kind;
  return createHash('sha256').update(found.bytes).digest('hex');
}

/**
 * What a file of exports adds to an environment, as a shell reads it: a hook that was trusted wrote it. Empty where there
 * is no file; says why it cannot be read.
 */
export function readEnvFile(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ added: Readonly<Record<string, string>> } | { failed: string }> {
  const found = readRegularFile(file, maxBytes);
  if (found.kind === 'absent') return Promise.resolve({ added: {} });
  if (found.kind !== 'bytes') return Promise.resolve({ failed: `${file} ${found.reason}` });
  return new Promise(resolve => {
    const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes } as const;
    execFile('sh', ['-c', script, 'sh', file], options, (error, stdout, stderr) => {
      if (error) return resolve({ failed: stderr.trim() || error.message });
      const found = stdout.split('\0').flatMap(pair => {
        const at = pair.indexOf('=');
        return at < 1 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
      });
      const added = found.filter(([name, value]) => env[name] !== value && !isOfShell(name));
      resolve({ added: Object.fromEntries(added) });
    });
  });
}

/** What the file prints while it is read must not be taken for variables. */
const script = '. "$1" >&2 && exec env -0';
const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

/** What a shell sets for itself, and what says which session this is. */
const isOfShell = (name: string): boolean =>
  ['_', 'SHLVL', 'PWD', 'OLDPWD'].includes(name) || name.startsWith('HOOKLOOP_');

/**
 * The agent a spec names. Its process, and no one else, finds in its environment what the agent signs in with: in a
 * child's environment that is missing.
 */
export function agentWithCredentials(spec: string, context: AgentContext): AgentPort {
  const agent = resolveAgent(spec, context);
  if ('start' in agent) {
    const credentials = setIn(Object.fromEntries(credentialsOf(spec.trim()).map(name => [name, context.env[name]])));
    return { ...agent, start: options => agent.start({ ...options, env: { ...credentials, ...options.env } }) };
  }
  // Checked before the session began; a resumed one may name an agent that this version no longer knows.
  const { message: reason, hint } = agent;
  return { name: spec, start: async () => ({ kind: 'unavailable', reason, ...(hint !== undefined && { hint }) }) };
}

/**
 * The agents of the session when an event happens, or those of its stage where only stages have any; the one that is at
 * work comes first.
 */
export function agentsAt({ plan, settings, state }: OpenSession, { stage }: HookEvent): readonly string[] {
  const named = plan.stages.find(({ id }) => id === stage) ?? plan.stages[0];
  const { agent, otherAgents = [] } = [plan, settings, named].find(part => part?.agent) ?? {};
  const specs = agent ? [agent, ...otherAgents] : [];
  const atWork = specs.filter(spec => spec === state.pauses.worker?.agent);
  return [...new Set([...atWork, ...specs])];
}
