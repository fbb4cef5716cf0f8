import { childOf, itemsOf } from '../../config/located.ts';
import { wildcard } from '../../model/wildcard.ts';
import type { TextFile } from '../shared/text-file.ts';

/** Which variables the headers of http hooks may hold, and where such hooks may be sent; absent: any. */
export interface HttpLimits {
  variables?: readonly string[];
  urls?: readonly string[];
}

/** Lists of all settings files together; a plugin does not widen them. */
export function limitsOf(files: readonly TextFile[]): HttpLimits {
  const own = files.filter(({ found }) => found.location.scope !== 'plugin');
  const listed = (key: string): string[] | undefined => {
    const nodes = own.flatMap(({ root }) => childOf(root, key) ?? []);
    const texts = nodes.flatMap(node => itemsOf(node)).map(node => node.kind === 'scalar' && node.value);
    return nodes.length === 0 ? undefined : texts.filter(value => typeof value === 'string');
  };
  const [variables, urls] = [listed('httpHookAllowedEnvVars'), listed('allowedHttpHookUrls')];
  return { ...(variables && { variables }), ...(urls && { urls }) };
}

/** Those of an entry, as far as the settings allow them. */
export const variablesOf = (own: readonly string[], { variables }: HttpLimits): readonly string[] =>
  variables === undefined ? own : own.filter(name => variables.includes(name));

/** Why an entry is sent nowhere. */
export function whyForbidden(
  entry: { type: string; url?: string },
  { urls }: HttpLimits,
): { why: string; key: string } | undefined {
  const { type, url = '' } = entry;
  if (type !== 'http' || urls === undefined || urls.some(pattern => wildcard(pattern)(url))) return undefined;
  return { key: 'url', why: 'allowedHttpHookUrls does not list its url' };
}
