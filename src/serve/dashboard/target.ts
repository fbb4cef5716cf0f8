import { enterPath } from './pass.ts';
import { scriptPath } from './script.ts';

/** What a URL asks for. `still`: the page is not to change under its reader. */
export type Target =
  | { kind: 'overview'; still: boolean }
  | { kind: 'session'; project: string; session: string; still: boolean }
  | { kind: 'approval'; id: string }
  | { kind: 'enter'; pass: string }
  | { kind: 'script' }
  | { kind: 'unknown' };

export function parseTarget(url: string): Target {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const still = new URLSearchParams(query).has('still');
  if (path === '/') return { kind: 'overview', still };
  if (path === scriptPath) return { kind: 'script' };
  if (path.startsWith(enterPath)) return { kind: 'enter', pass: path.slice(enterPath.length) };
  const [, id] = /^\/approval\/([0-9a-z]{1,32})$/.exec(path) ?? [];
  if (id !== undefined) return { kind: 'approval', id };
  // Names of sessions and children are made of these, and `.` stands in no name of its own.
  const [, project, session] = /^\/session\/([0-9a-f]{16})\/([\w.-]+(?:\/[\w.-]+){0,9})$/.exec(path) ?? [];
  return project === undefined || session === undefined
    ? { kind: 'unknown' }
    : { kind: 'session', project, session, still };
}
