import type { Host } from './host.ts';
import type { HostCall } from './ports.ts';

/**
 * The project that the agent was started in, which its current folder need not be part of. An agent that does not name
 * it may be anywhere: then the folder it speaks of and the one we were started in both count.
 */
export function foldersOf(
  { projectVariables }: Pick<Host, 'projectVariables'>,
  told: unknown,
  { env, cwd }: Pick<HostCall, 'env' | 'cwd'>,
): string[] {
  const named = projectVariables.map(name => env[name]).find(folder => folder?.startsWith('/'));
  if (named !== undefined) return [named];
  return typeof told === 'string' && told.startsWith('/') ? [told, cwd] : [cwd];
}
