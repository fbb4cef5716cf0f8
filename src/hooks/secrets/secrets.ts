import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the user's secrets files say. Warnings name files and lines, never values. */
export interface Secrets {
  values: Readonly<Record<string, string>>;
  warnings: readonly string[];
}

/** Reads `agent-pipelines/secrets.env` and `hookloop/secrets.env` of the user's config folder; of two values the latter counts. */
export function readSecrets({ config }: { config: string }): Secrets {
  const warnings: string[] = [];
  const values: Record<string, string> = {};
  for (const folder of ['agent-pipelines', 'hookloop']) {
    const path = join(config, folder, 'secrets.env');
    const text = readPrivate(path, warnings);
    if (text !== undefined) Object.assign(values, parseSecrets(text, path, warnings));
  }
  return { values, warnings };
}

/** The values, read when they are first asked for. */
export function createSecrets(
  places: { config: string },
  warn: (text: string) => void,
): () => Readonly<Record<string, string>> {
  let values: Readonly<Record<string, string>> | undefined;
  return () => {
    if (values !== undefined) return values;
    const read = readSecrets(places);
    values = read.values;
    for (const warning of read.warnings) warn(warning);
    return values;
  };
}

const maxBytes = 1024 * 1024;

function readPrivate(path: string, warnings: string[]): string | undefined {
  try {
    const stats = statSync(path);
    const flaw = stats.isFile() ? (stats.size > maxBytes ? 'over 1 MiB' : undefined) : 'not a file';
    if (flaw !== undefined) {
      warnings.push(`${path} is not read: it is ${flaw}`);
      return undefined;
    }
    if (stats.mode & 0o044) warnings.push(`${path} can be read by others: chmod 600 ${path}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warnings.push(`${path} cannot be read: ${code}`);
    return undefined;
  }
}

function parseSecrets(text: string, path: string, warnings: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, written] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const value = written === undefined ? undefined : unquoted(written);
    if (name === undefined || value === undefined) warnings.push(`${path}:${at + 1} is not NAME=VALUE`);
    else values[name] = value;
  }
  return values;
}

/** As a shell would read it, but nothing is expanded. Undefined: a quote that is not closed. */
function unquoted(written: string): string | undefined {
  const [, single] = /^'([^']*)'(?:\s+#.*)?$/.exec(written) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/.exec(written) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1');
  return /^['"]/.test(written) ? undefined : written.replace(/(?:^|\s+)#.*$/, '');
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
