import { isTooDeep } from '../../model/json.ts';

type Named = Readonly<Record<string, string | undefined>>;

/** Where values of `${NAME}` come from, the first that has it. */
export interface ValueSources {
  event: Named;
  callbackUrl?: string | undefined;
  secrets: () => Named;
  env: Named;
}

export interface Value {
  text: string;
  /** `event`: data that models and tools may have written. `ours`: the callback URL. `user`: secrets and environment. */
  from: 'event' | 'ours' | 'user';
}

/** The values of one request, and what became of them. */
export interface Values {
  /** An unknown name is empty and remembered. */
  of(name: string): Value;
  missing(): readonly string[];
  /** Texts that no record of the request may tell. */
  secret(): readonly string[];
}

export function createValues({ event, callbackUrl, secrets, env }: ValueSources): Values {
  const missing = new Set<string>();
  const told = new Set<string>();
  const find = (name: string): Value | undefined => {
    if (name === 'CALLBACK_URL') {
      // Its own question's, else that of the one before it.
      const url = callbackUrl ?? own(event, name) ?? '';
      return url === '' ? undefined : { text: url, from: 'ours' };
    }
    const ofEvent = own(event, name);
    if (ofEvent !== undefined) return { text: ofEvent, from: 'event' };
    const ofUser = own(secrets(), name) ?? own(env, name);
    return ofUser === undefined ? undefined : { text: ofUser, from: 'user' };
  };
  return {
    of(name) {
      const value = find(name);
      if (value === undefined) missing.add(name);
      else if (value.from !== 'event') told.add(value.text);
      return value ?? { text: '', from: 'user' };
    },
    missing: () => [...missing],
    // The token is the last part of the callback URL.
    secret: () => [...told, ...(callbackUrl?.split('/').slice(-1) ?? [])],
  };
}

const own = (values: Named, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Puts values in place of `${NAME}`. What stands in a value is not looked at again. */
export const fillText = (template: string, values: Pick<Values, 'of'>, write: WriteValue = asItIs): string =>
  template.replace(placeholder, (whole, name: string, at: number) => write(values.of(name), { name, at, whole }));

/** `whole` is the placeholder with its braces, `at` where it stands in the template. */
export type WriteValue = (value: Value, where: { name: string; at: number; whole: string }) => string;

const asItIs: WriteValue = ({ text }) => text;

/** Half a surrogate pair would make encodeURIComponent throw; through bytes it becomes a replacement character. */
export const percentEncoded: WriteValue = ({ text }) => encodeURIComponent(Buffer.from(text).toString());

/** Fills in every string of a JSON value; keys stay as they are. Undefined if it is nested too deep. */
export const fillJson = (value: unknown, values: Pick<Values, 'of'>): unknown =>
  typeof value === 'object' && value !== null && isTooDeep(value) ? undefined : fillParts(value, values);

function fillParts(value: unknown, values: Pick<Values, 'of'>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(part => fillParts(part, values));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fillParts(part, values)]));
}

export type Filled<T> = { kind: 'filled'; value: T } | { kind: 'flaw'; reason: string };

export const flaw = (reason: string): Extract<Filled<never>, { kind: 'flaw' }> => ({ kind: 'flaw', reason });

/**
 * A URL with its values. One that is the URL's start is taken as it is, one in the path or query is percent-encoded, and
 * one in place of the host has to be a host. The reason never tells a value.
 */
export function fillUrl(template: string, values: Values): Filled<URL> {
  const authority = authorityOf(template);
  let wrong: string | undefined;
  const text = fillText(template, values, (value, where) => {
    if (where.at === 0) {
      if (value.from === 'event') wrong ??= `its url starts with ${where.whole}, which is part of the event`;
      return value.text.trim();
    }
    if (where.at < authority.hostStart || where.at >= authority.end) return percentEncoded(value, where);
    if (!hostPart.test(value.text)) wrong ??= `${where.whole} in its url is not part of a host name`;
    return value.text;
  });
  if (wrong !== undefined) return flaw(wrong);
  if (!URL.canParse(text)) {
    const why = text.trim() === '' ? 'is empty' : 'is not a URL once variables are filled in';
    const unset = values.missing().join(', ');
    return flaw(`its url ${why}${unset === '' ? '' : `: no value for ${unset}`}`);
  }
  // Encoded or not, `..` as a whole segment would climb; only the author may do that.
  if (dotSegments(afterStart(text, template, values)) > dotSegments(template))
    return flaw('a value in the path of its url is . or ..');
  return { kind: 'filled', value: new URL(text) };
}

/** `host`, `host:8080`, `:8080` or a part of a name. */
const hostPart = /^(?:[\p{L}\p{N}._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu;

/** Where the host of a template stands, credentials before it not counted. */
function authorityOf(template: string): { hostStart: number; end: number } {
  const [start] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(template) ?? [];
  if (start === undefined) return { hostStart: 0, end: 0 };
  const rest = template.slice(start.length).search(/[/?#\\]/);
  const end = rest === -1 ? template.length : start.length + rest;
  return { hostStart: Math.max(start.length, template.lastIndexOf('@', end - 1) + 1), end };
}

/** The text without a value it may start with: that one is the user's own. */
function afterStart(text: string, template: string, values: Values): string {
  const [, name] = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(template) ?? [];
  return name === undefined ? text : text.slice(values.of(name).text.trim().length);
}

const dotSegments = (url: string): number =>
  (url.split(/[?#]/)[0] ?? '').split(/[/\\]/).filter(segment => /^(?:\.|%2e){1,2}$/i.test(segment)).length;
