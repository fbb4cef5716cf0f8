import type { Mask } from '../../model/mask.ts';
import { maskShapes, maskUrls, openKeyStart } from './shapes.ts';

/**
 * Hides the values of variables that look secret, in every form they may take, tokens of well-known forms, and what URLs carry. `secrets` are values
 * that are secret whatever their name; they are asked for with the first text.
 */
export function createMask(
  env: Readonly<Record<string, string | undefined>>,
  secrets: () => Iterable<string> = () => [],
): Mask {
  let forms: readonly string[] | undefined;
  const known = (): readonly string[] => {
    forms ??= secretForms(env, secrets());
    return forms;
  };
  const mask: Mask = text => (text.length < 6 ? text : maskUrls(maskShapes(maskForms(text, known()))));
  mask.openFrom = text => openFrom(text, known());
  return mask;
}

/** Tokens and URLs have no spaces; values may, and keys have whole lines. */
function openFrom(text: string, forms: readonly string[]): number {
  if (text.includes('-----')) return 0;
  const word = text.search(/\S*$/);
  const spaced = forms.filter(form => /\s/.test(form));
  const isOpen = (form: string, at: number): boolean =>
    at + form.length > word && form.startsWith(text.slice(at, at + form.length));
  for (let at = 0; at < word; at += 1) if (spaced.some(form => isOpen(form, at))) return at;
  return word;
}

/** Masks a stream: pieces of text in, masked whole lines or words out. A secret that arrives in two pieces is still one. */
export interface LineMask {
  push(piece: string): string;
  end(): string;
}

/** A line longer than this is let go in parts. */
const maxHeldLength = 64 * 1024;
/** What stays behind of such a line, longer than secrets are. */
const overlapLength = 16 * 1024;

/** So far back every place for a cut is tried: most secrets are shorter. */
const closeLength = 512;
/** So much without any place for a cut is held. */
const maxUncutLength = 1024 * 1024;

/** `word`: of a line that has no end yet, the words that cannot be part of a secret come out as well. */
export function createLineMask(mask: Mask, by: 'line' | 'word' = 'line'): LineMask {
  let held: string[] = [];
  let heldLength = 0;
  let nextPartLength = maxHeldLength;
  let isHidden = false;
  const release = (upTo: number, isEnd = false): string => {
    const text = held.join('');
    const length = isEnd ? upTo : (openKeyStart(text.slice(0, upTo)) ?? upTo);
    held = length < text.length ? [text.slice(length)] : [];
    heldLength = text.length - length;
    return mask(text.slice(0, length));
  };
  const releaseWords = (): string => {
    const from = heldLength > overlapLength ? 0 : (mask.openFrom?.(held.join('')) ?? 0);
    return from === 0 ? '' : release(from);
  };
  const releasePart = (): string => {
    const text = held.join('');
    const cut = safeCut(text, mask);
    if (cut !== undefined || heldLength >= maxUncutLength) nextPartLength = maxHeldLength;
    else nextPartLength = 2 * heldLength;
    if (cut !== undefined) return release(cut);
    if (heldLength < maxUncutLength) return '';
    // All of it may belong to one secret, whose rest would not be known any more: nothing is told of this line.
    held = [];
    heldLength = 0;
    isHidden = true;
    return '***';
  };
  return {
    push(given) {
      const next = isHidden ? given.indexOf('\n') : 0;
      if (next === -1) return '';
      isHidden = false;
      const piece = given.slice(next);
      held.push(piece);
      heldLength += piece.length;
      const lineEnd = piece.lastIndexOf('\n');
      if (lineEnd !== -1) return release(heldLength - (piece.length - lineEnd - 1));
      const words = by === 'word' ? releaseWords() : '';
      return heldLength > nextPartLength ? words + releasePart() : words;
    },
    end: () => (heldLength === 0 ? '' : release(heldLength, true)),
  };
}

/** The same for bytes: what may be written of each chunk, secrets hidden also where two chunks meet. */
export interface ByteMask {
  take(chunk: Buffer): Buffer;
  end(): Buffer;
}

export function createByteMask(mask: Mask): ByteMask {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines = createLineMask(mask);
  return {
    take: chunk => Buffer.from(lines.push(decoder.decode(chunk, { stream: true }))),
    end: () => Buffer.from(lines.push(decoder.decode()) + lines.end()),
  };
}

/** A cut is safe if masking both sides gives the same as masking what is around it. Undefined: there is none near the end. */
function safeCut(text: string, mask: Mask): number | undefined {
  const last = text.length - overlapLength;
  for (let back = 0; back < Math.min(last, overlapLength); back += back < closeLength ? 1 : closeLength / 8) {
    const cut = last - back;
    const [before, after] = [text.slice(Math.max(0, cut - overlapLength), cut), text.slice(cut, cut + overlapLength)];
    if (mask(before) + mask(after) === mask(before + after)) return cut;
  }
  return undefined;
}

function secretForms(env: Readonly<Record<string, string | undefined>>, secrets: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  for (const name in env) {
    const value = env[name];
    if (value !== undefined && isSecret(name, value)) for (const form of formsOf(value)) forms.add(form);
  }
  return [...forms];
}

/** Every way a secret may turn up in a text: as it is, line by line, in JSON, in a URL, as a host, in base64. */
function formsOf(secret: string): string[] {
  const value = secret.trim();
  const lines = value.split(/\r?\n/).map(line => line.trim());
  const forms = lines.length > 1 ? lines.filter(isTelling).flatMap(line => [line, ...urlForms(line)]) : [];
  return [...forms, value, jsonForm(value), ...urlForms(value), ...hostForms(value), ...base64Forms(value)].filter(
    isLongEnough,
  );
}

const isLongEnough = (text: string): boolean => text.length >= 6;

/** `-----BEGIN PRIVATE KEY-----` tells nothing. */
const isTelling = (line: string): boolean => isLongEnough(line) && !line.startsWith('-----');

const jsonForm = (value: string): string => JSON.stringify(value).slice(1, -1);

function urlForms(value: string): string[] {
  // Half a surrogate pair makes encodeURIComponent throw; through bytes it becomes a replacement character.
  const encoded = encodeURIComponent(Buffer.from(value).toString());
  if (encoded === value) return [];
  const strict = encoded.replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = encoded.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase());
  return [encoded, strict, lower, encoded.replaceAll('%20', '+')];
}

/** Whoever reads an address writes its host in small letters, also one that a secret is only a part of. */
function hostForms(value: string): string[] {
  const [host = ''] = /^(?:\w+:\/\/)?[\w.:-]+(?![^/?#])/.exec(value) ?? [];
  const lower = host.toLowerCase();
  return lower === host ? [] : [lower + value.slice(host.length)];
}

/** Alone, and as a part of something longer: `user:secret` encodes it shifted by a byte or two. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString('base64');
  const inside = [0, 1, 2].map(shift => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return shifted.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6));
  });
  const standard = [alone, alone.replace(/=+$/, ''), ...inside];
  return [...standard, ...standard.map(form => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** Spans are joined before anything is replaced, so of two secrets that overlap no rest stays behind. */
function maskForms(text: string, forms: readonly string[]): string {
  const spans: [number, number][] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      spans.push([at, at + form.length]);
    }
  }
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (start > done || done === 0) parts.push(text.slice(done, start), '***');
    done = Math.max(done, end);
  }
  return parts.join('') + text.slice(done);
}

/** Whether a variable's name and value look like a secret. Unsure means yes: a hidden word is better than a told secret. */
export function isSecret(name: string, value: string): boolean {
  if (!mayBeSecret(name) || value.trim().length < 6 || plainValue.test(value)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (!words.some(word => isSecretWord(word, words))) return false;
  if (describingWords.has(last)) return false;
  if (placeWords.has(last) && /^[/~.]/.test(value)) return false;
  if (last === 'CREDENTIALS' && /^~?\/.*\.\w{1,6}$/.test(value)) return false;
  if (addressWords.has(last) && !words.some(word => /WEBHOOK|SECRET|PASS/.test(word))) return false;
  return !(/TOKENS$/.test(last) && /^[\d_.,]+$/.test(value));
}

/** Most names are done with one look: this runs over the whole environment at every start, before any expression is compiled. */
const hints = 'TOKEN SECRET PASS CRED WEBHOOK AUTH KEY BEARER JWT COOKIE PW DSN PAT CONN'.split(' ');

function mayBeSecret(name: string): boolean {
  const upper = name.toUpperCase();
  // Every environment has this one, and expressions are costly to begin with.
  return upper !== 'PATH' && hints.some(hint => upper.includes(hint));
}

const plainValue = /^(?:false|enabled|disabled|required|optional|default|always|unknown)$/i;

/** TOKEN_TYPE, AUTH_METHOD, KEY_LENGTH say something about a secret; they are none. */
const describingWords = new Set(
  'TYPE METHOD MODE KIND PROVIDER ALGORITHM ALGO ALG FORMAT TTL EXPIRY EXPIRES EXPIRATION TIMEOUT LIMIT COUNT LENGTH SIZE BITS ENABLED REQUIRED HEADER SCHEME PORT REGION VERSION NAME USER USERNAME EMAIL'.split(
    ' ',
  ),
);

/** SSH_AUTH_SOCK, PASSWORD_STORE_DIR: where a secret lies. Also a secret may begin with a slash, so the name has to say it. */
const placeWords = new Set('SOCK SOCKET FILE PATH DIR DIRECTORY FOLDER HOME ROOT STORE AUTHORITY'.split(' '));

const addressWords = new Set('URL URI ENDPOINT HOST HOSTNAME DOMAIN'.split(' '));

/** `API_KEY`, `apiKey`, `npm_config__authToken` in words. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(word => word !== '');

const anywhere =
  /TOKEN(?!I[SZ])|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|WEBHOOK|CONN(?:ECTION)?STR(?:ING)?$/;
const wholeWord = /^(?:AUTHORIZATION|BEARER|JWT|PW|PATS?|G[HL]PAT)$/;
/** MYKEY, DBPASS, NPMAUTH: whatever stands before these. */
const wordEnd = /(?:KEYS?|PASS|AUTH|COOKIES?|DSN)\d*$/;

/** Words of every day that end like that. */
const plainWords = new Set(
  'MONKEY DONKEY TURKEY HOCKEY JOCKEY WHISKEY MICKEY SMOKEY LACKEY LOWKEY HOTKEY HOTKEYS PUBKEY PUBKEYS PUBLICKEY PUBLICKEYS COMPASS BYPASS SURPASS TRESPASS ENCOMPASS UNDERPASS OVERPASS ASKPASS XAUTH'.split(
    ' ',
  ),
);

/** PUBLIC_KEY, SORT_KEY: these tell that the key opens nothing. */
const plainKeys = /^(?:PUBLIC|PUB|KEYBOARD|HOT|SORT|PRIMARY|FOREIGN|PARTITION|SHORTCUT)$/;

function isSecretWord(word: string, words: readonly string[]): boolean {
  if (anywhere.test(word) || wholeWord.test(word)) return true;
  if (word === 'PWD') return words.length > 1;
  if (/^CONN(?:ECTION)?$/.test(word)) return /^STR(?:ING)?S?$/.test(words[words.indexOf(word) + 1] ?? '');
  if (!wordEnd.test(word) || plainWords.has(word)) return false;
  return !/KEYS?\d*$/.test(word) || !words.some(other => plainKeys.test(other));
}
