import { fillText, percentEncoded, type WriteValue } from './fill.ts';
import type { Values } from './values.ts';

export type Filled<T> = { kind: 'filled'; value: T } | { kind: 'flaw'; reason: string };

/**
 * A URL with its values. One that is the URL's start is taken as it is, one in the path or query is percent-encoded, and
 * one in place of the host has to be a host. The reason never tells a value.
 */
export function fillUrl(template: string, values: Values): Filled<URL> {
  const authority = authorityOf(template);
  let flaw: string | undefined;
  const write: WriteValue = (value, place) => {
    if (place.at === 0) {
      if (value.from === 'event') flaw ??= `its url starts with ${place.whole}, which is part of the event`;
      return value.text.trim();
    }
    if (place.at < authority.hostStart || place.at >= authority.end) return percentEncoded(value, place);
    if (!hostPart.test(value.text)) flaw ??= `${place.whole} in its url is not part of a host name`;
    return value.text;
  };
  const text = fillText(template, values, write);
  if (flaw !== undefined) return { kind: 'flaw', reason: flaw };
  const unset = values.missing();
  if (!URL.canParse(text)) {
    const why = text.trim() === '' ? 'is empty' : 'is not a URL once variables are filled in';
    return { kind: 'flaw', reason: `its url ${why}${unset.length === 0 ? '' : `: no value for ${unset.join(', ')}`}` };
  }
  // Encoded or not, `..` as a whole segment would climb; only the author may do that.
  if (dotSegments(afterStart(text, template, values)) > dotSegments(template))
    return { kind: 'flaw', reason: 'a value in the path of its url is . or ..' };
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
