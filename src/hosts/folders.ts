import type { Host, Payload } from './host.ts';
import type { HostCall } from './ports.ts';

/**
 * The project that the agent was started in, which its current folder need not be part of, and others that it lists. An
 * agent that does not name it may be anywhere: then the folder it speaks of and the one we were started in both count.
 */
export function foldersOf(
  { projectVariables, projectsField = '' }: Pick<Host, 'projectVariables' | 'projectsField'>,
  payload: Payload,
  told: unknown,
  { env, cwd }: Pick<HostCall, 'env' | 'cwd'>,
): string[] {
  const named = projectVariables.map(name => env[name]).find(isAbsolute);
  const listed = [payload[projectsField]].flat().filter(isAbsolute);
  if (named !== undefined) return [named, ...listed];
  return isAbsolute(told) ? [told, cwd, ...listed] : [cwd, ...listed];
}

const isAbsolute = (folder: unknown): folder is string => typeof folder === 'string' && folder.startsWith('/');
