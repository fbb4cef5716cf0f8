import type { Host, Payload } from './host.ts';

export type ParsedPayload = { kind: 'payload'; fields: Payload } | { kind: 'bad'; why: string };

/** No agent nests deeper, and beyond some thousands the engine itself could not write it out again. */
const maxDepth = 500;

/** Nothing at all is an empty payload. */
export function parsePayload(input: string): ParsedPayload {
  if (input.trim() === '') return { kind: 'payload', fields: {} };
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return { kind: 'bad', why: 'the payload is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'bad', why: 'the payload is not a JSON object' };
  if (isDeeper(value, maxDepth)) return { kind: 'bad', why: `the payload is nested deeper than ${maxDepth}` };
  return { kind: 'payload', fields: value as Payload };
}

/** Level by level, so that the check itself cannot run out of stack. */
function isDeeper(value: object, depth: number): boolean {
  let level: object[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return true;
    level = level.flatMap(node => Object.values(node).filter(child => typeof child === 'object' && child !== null));
  }
  return false;
}

/**
 * The project that the agent was started in, which its current folder need not be part of, and others that it lists. An
 * agent that does not name it may be anywhere: then the folder it speaks of and the one we were started in both count.
 */
export function foldersOf(
  { projectVariables, projectsField = '' }: Pick<Host, 'projectVariables' | 'projectsField'>,
  payload: Payload,
  told: unknown,
  { env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd: string },
): string[] {
  const named = projectVariables.map(name => env[name]).find(isAbsolute);
  const listed = [payload[projectsField]].flat().filter(isAbsolute);
  if (named !== undefined) return [named, ...listed];
  return isAbsolute(told) ? [told, cwd, ...listed] : [cwd, ...listed];
}

const isAbsolute = (folder: unknown): folder is string => typeof folder === 'string' && folder.startsWith('/');
