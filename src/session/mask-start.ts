import { isSecret } from '../hooks/secrets/create-mask.ts';
import type { Mask } from '../model/mask.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { Start } from './store.ts';

/**
 * A start without what is or may be secret in it: values that the mask knows, and what the file's author wrote for others
 * to receive. Of a webhook only scheme and host of its address are told.
 */
export const maskStart = <T extends Start>(start: T, mask: Mask): T => ({
  ...start,
  plan: masked(start.plan, mask) as PipelinePlan,
  // Its other texts are paths, which have to be found.
  settings: {
    ...start.settings,
    agent: mask(start.settings.agent),
    ...(Array.isArray(start.settings.otherAgents) && {
      otherAgents: start.settings.otherAgents.map(spec => mask(String(spec))),
    }),
  },
});

/** By these the parts of a session are found. */
const names: ReadonlySet<string> = new Set(['id', 'from', 'kind']);

function masked(value: unknown, mask: Mask, known?: Readonly<Record<string, MaskPart>>): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(item => masked(item, mask));
  const parts = known ?? partsOf[String((value as { kind?: unknown }).kind)] ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
      return [name, part ? part(item, mask) : names.has(name) ? item : masked(item, mask)];
    }),
  );
}

type MaskPart = (value: unknown, mask: Mask) => unknown;

const hidden: MaskPart = value => (value === null || value === undefined ? value : '***');

const hostOnly: MaskPart = (value, mask) => mask(typeof value === 'string' ? addressOf(value) : '***');

const partsOfWebhook: Readonly<Record<string, MaskPart>> = {
  url: hostOnly,
  callbackBaseUrl: hostOnly,
  headers: value => Object.fromEntries(Object.keys(Object(value)).map(name => [name, '***'])),
  body: hidden,
  secret: hidden,
};

/** By the kind of an action. */
const partsOf: Readonly<Record<string, Readonly<Record<string, MaskPart>>>> = {
  webhook: partsOfWebhook,
  ask: { callbackBaseUrl: hostOnly, notify: (value, mask) => masked(value, mask, partsOfWebhook) },
  spawn: { inputs: byName },
};

/** Names that the author has chosen say what is secret. */
function byName(value: unknown, mask: Mask): unknown {
  if (value === null || typeof value !== 'object') return masked(value, mask);
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

/** An entry of a journal as it may be shown; those of older versions have all of the start in clear. */
export const entryToShow = <T extends object>(entry: T, mask: Mask): T =>
  isStart(entry) ? (maskStart(entry, mask) as T) : entry;

/** The file may come from someone else, so its shape is looked at. */
function isStart(entry: object): entry is Start {
  const { kind, plan, settings } = entry as Partial<Record<'kind' | 'plan' | 'settings', unknown>>;
  const { agent } = (settings ?? {}) as { agent?: unknown };
  return kind === 'session.started' && typeof plan === 'object' && typeof agent === 'string';
}
