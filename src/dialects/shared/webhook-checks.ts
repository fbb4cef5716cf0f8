import { ownWordFlaw } from '../../model/index.ts';
import type { ActionEntry } from './action-shapes.ts';

export interface FieldFlaw {
  field: 'url' | 'method' | 'headers' | 'callback_port' | 'callback_base_url' | 'pass_env' | 'actions';
  message: string;
  hint?: string;
}

/** What is wrong with a request or a child's environment beyond the types, as far as it shows before variables are filled in. */
export function fieldFlaws(entry: ActionEntry): FieldFlaw[] {
  const flaws: (FieldFlaw | undefined)[] = [
    urlFlaw('url', entry.url),
    urlFlaw('callback_base_url', entry.callback_base_url),
    methodFlaw(entry.method),
    ...Object.entries(entry.headers ?? {}).map(headerFlaw),
    ...(entry.pass_env ?? []).map(passEnvFlaw),
    ...Object.entries(entry.actions ?? {}).map(answerFlaw),
    (entry.callback_port ?? 0) > 65_535
      ? { field: 'callback_port', message: `${entry.callback_port} is not a port`, hint: 'write 1 to 65535' }
      : undefined,
  ];
  return flaws.filter(flaw => flaw !== undefined);
}

/** https, or http to this machine. What starts with a variable is known only when it is filled in. */
export function urlFlaw(field: 'url' | 'callback_base_url', url: string | undefined): FieldFlaw | undefined {
  if (url === undefined || url.startsWith('${')) return undefined;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) {
    const [, name] = /^\$(\w+)$/.exec(url) ?? [];
    return {
      field,
      message: `${field} must be a URL`,
      hint: name ? `write \${${name}}` : 'write https://... or ${NAME}',
    };
  }
  if (scheme.toLowerCase() === 'https' || authority.includes('${')) return undefined;
  if (scheme.toLowerCase() === 'http' && isLoopback(authority)) return undefined;
  return { field, message: `${scheme}://${authority} is not allowed`, hint: 'use https; http only to localhost' };
}

function isLoopback(authority: string): boolean {
  const url = `http://${authority}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodFlaw = (method: string | undefined): FieldFlaw | undefined =>
  method === undefined || methods.includes(method.toUpperCase())
    ? undefined
    : {
        field: 'method',
        message: `"${method}" is not a method for webhooks`,
        hint: `write one of ${methods.join(', ')}`,
      };

function headerFlaw([name, value]: [string, string]): FieldFlaw | undefined {
  if (!token.test(name)) return { field: 'headers', message: `"${name}" is not a header name` };
  if (/[\r\n]/.test(value)) return { field: 'headers', message: `header ${name} holds a line break` };
  return undefined;
}

function answerFlaw([word, meaning]: [string, string]): FieldFlaw | undefined {
  const message = ownWordFlaw(word, meaning);
  return message === undefined
    ? undefined
    : { field: 'actions', message, hint: 'write actions: { ship: approve, hold: reject }' };
}

const passEnvFlaw = (name: string): FieldFlaw | undefined =>
  /^[A-Za-z_]\w*$/.test(name)
    ? undefined
    : { field: 'pass_env', message: `"${name}" is not the name of a variable`, hint: 'write names only, as in HOME' };
