import { markedEnv, markVariable } from '../actions/process/stop.ts';
import { hookVariable } from '../model/control.ts';
import type { SessionFiles } from '../session/paths.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How deep a child is; events that its agent causes elsewhere count from there. */
export const depthVariable = 'HOOKLOOP_DEPTH';

/** How many sessions a process stands in, one started inside of the other. */
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
  // A hook that starts a session is none of that one's.
  return given({ ...markedEnv(env, mark), ...own, ...ofChild, ...nesting, [hookVariable]: undefined });
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
  given(
    Object.fromEntries(
      Object.entries(env).filter(
        ([name]) => harmless.has(name) || /^(LC|XDG)_/.test(name) || (passed.includes(name) && !isOurs(name)),
      ),
    ),
  );

/** Those of the named variables that are set. */
export const pick = (env: Env, names: readonly string[]): Readonly<Record<string, string>> =>
  given(Object.fromEntries(names.map(name => [name, env[name]])));

/** They say which session a process belongs to, and a child is one of its own. */
const isOurs = (name: string): boolean => name.startsWith('HOOKLOOP_') || name === 'SPAWN_OUTPUT_FILE';

/** Without what is not set. */
export const given = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
