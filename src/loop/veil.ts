import type { Mask } from '../hooks/secrets/mask.ts';
import { isSecret } from '../hooks/secrets/secret-names.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { SessionSettings } from '../model/record.ts';

/** What a session begins with, and what its start tells to whoever reads the journal. */
export interface Start {
  plan: PipelinePlan;
  settings: SessionSettings;
}

/**
 * A start without what is or may be secret in it: values that the mask knows, and what the file's author wrote for others
 * to receive. Of a webhook only scheme and host of its address are told.
 */
export const veil = <T extends Start>(start: T, mask: Mask): T => ({
  ...start,
  plan: veiled(start.plan, mask) as PipelinePlan,
  // Its other texts are places, which have to be found.
  settings: { ...start.settings, agent: mask(start.settings.agent) },
});

/** By these the parts of a session are found. */
const names: ReadonlySet<string> = new Set(['id', 'from', 'kind']);

function veiled(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(item => veiled(item, mask));
  const { kind } = value as { kind?: unknown };
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const parts = kind === 'webhook' ? partsOfWebhook : kind === 'spawn' ? partsOfSpawn : {};
      const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
      return [name, part ? part(item, mask) : names.has(name) ? item : veiled(item, mask)];
    }),
  );
}

type Veil = (value: unknown, mask: Mask) => unknown;

const hidden: Veil = value => (value === null || value === undefined ? value : '***');

const hostOnly: Veil = (value, mask) => mask(typeof value === 'string' ? addressOf(value) : '***');

const partsOfWebhook: Readonly<Record<string, Veil>> = {
  url: hostOnly,
  callbackBaseUrl: hostOnly,
  headers: value => Object.fromEntries(Object.keys(Object(value)).map(name => [name, '***'])),
  body: hidden,
  secret: hidden,
};

const partsOfSpawn: Readonly<Record<string, Veil>> = { inputs: byName };

/** Names that the author has chosen say what is secret. */
function byName(value: unknown, mask: Mask): unknown {
  if (value === null || typeof value !== 'object') return veiled(value, mask);
  if (Array.isArray(value)) return value.map(item => byName(item, mask));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecret(name, typeof item === 'string' ? item : JSON.stringify(item)) ? '***' : byName(item, mask),
    ]),
  );
}

const variable = String.raw`\$\{\w+\}`;
const address = new RegExp(
  String.raw`^([a-z][a-z0-9+.-]*://)(?:[^/?#\\\s]*@)?((?:\[[0-9a-f:.]+\]|(?:[\w.-]|${variable})+)(?::(?:\d+|${variable}))?)(?=$|[/?#])`,
  'i',
);

/** Where the address is a variable, its name tells nothing. */
function addressOf(url: string): string {
  if (new RegExp(`^${variable}$`).test(url)) return url;
  const [whole, scheme, host] = address.exec(url) ?? [];
  if (whole === undefined) return '***';
  return `${scheme}${host}${whole === url && !url.includes('@') ? '' : '/***'}`;
}
