/** Masks credentials of URLs, and queries of http(s) ones: `https://user:pw@host/p?x=y` becomes `https://***@host/p?***`. */
export function maskUrls(text: string): string {
  if (!text.includes('://') && !text.includes(':\\/\\/')) return text;
  return text
    .replace(credentials, (whole, slashes: string, user: string, offset: number) =>
      user.includes(':') || isWeb(text, offset) ? `${slashes}***@` : whole,
    )
    .replace(webAddress, (whole, address: string, query: string | undefined) =>
      query === undefined ? whole : `${address}?***`,
    );
}

/** Hides tokens that can be told by their form, and private keys, whoever they belong to. */
export const maskShapes = (text: string): string => maskTokens(maskKeys(text));

/**
 * Where a private key begins that goes on beyond the text: a stream must not let go of anything from there on. undefined
 * where there is none.
 */
export function openKeyStart(text: string): number | undefined {
  const begin = text.lastIndexOf(keyBegin);
  const line = begin === -1 ? null : beginLine.exec(text.slice(begin, begin + maxLineLength));
  if (!line || text.length - begin > maxKeyLength) return undefined;
  const from = begin + line[0].length;
  if (endOfKey(text, from) !== undefined) return undefined;
  return maybeMore.test(text.slice(endOfBody(text, from))) ? begin : undefined;
}

/** Longer than any key: what goes on for so long is none. */
const maxKeyLength = 64 * 1024;

/** How tokens begin, and the rest of them. Each stays linear: a run of letters is read once from its beginning, and looking ahead has a limit. */
const tokenForms: readonly (readonly [starts: readonly string[], rest: RegExp])[] = [
  [['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'], /[A-Za-z0-9]{20,}/],
  [['github_pat_'], /\w{20,}/],
  // OpenAI, Anthropic and others; a digit tells them from words with dashes between.
  [['sk-'], /(?=[\w-]{0,60}\d)[\w-]{20,}/],
  [['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], /[A-Za-z0-9]{16,}/],
  [['xox'], /[a-z]-[A-Za-z0-9-]{10,}/],
  [['AKIA', 'ASIA'], /[A-Z0-9]{16}(?![A-Za-z0-9])/],
  [['glpat-'], /[\w-]{20,}/],
  [['npm_'], /[A-Za-z0-9]{36,}/],
  [['AIza'], /[\w-]{35,}/],
  [['hf_'], /[A-Za-z0-9]{30,}/],
  [['whsec_'], /[A-Za-z0-9+/=]{24,}/],
  [['eyJ'], /(?<![\w-]eyJ)[\w-]{5,}\.eyJ[\w-]{2,}(?:\.[\w-]*)?/],
];

/** An expression is costly to begin with, so it is made for texts that hold the beginning of such a token; most hold none. */
function maskTokens(text: string): string {
  const forms = tokenForms.filter(([starts]) => starts.some(start => text.includes(start)));
  if (forms.length === 0) return text;
  const sources = forms.map(([starts, rest]) => `(?:${starts.join('|')})${rest.source}`);
  return text.replace(new RegExp(`(?<![A-Za-z0-9])(?:${sources.join('|')})`, 'g'), '***');
}

const keyBegin = '-----BEGIN ';
const beginLine = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const endLine = /^-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const maxLineLength = 80;

/** Lines as keys have them, also with `\n` for a line break and with what comes before a line in a listing or a diff. */
const keyBody = /(?:(?:\s|\\[nrt]|[>|+])*(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}))*/y;

/** What may stand behind lines of a key before its next one, or its end, is there: its short last line, a part of another. */
const maybeMore =
  /^\s*(?:[A-Za-z0-9+/]{1,15}={0,2}\s*)?(?:-[-A-Z0-9 ]{0,60}|[A-Za-z0-9+/]{0,76}={0,2}|[A-Z][A-Za-z-]{0,30}:?[^\n]{0,200})$/;

/** Its frame stays, so that a reader sees what was there. One that is cut off is hidden as far as it looks like a key. */
function maskKeys(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let begin = text.indexOf(keyBegin); begin !== -1; begin = text.indexOf(keyBegin, begin + 1)) {
    if (begin < done) continue;
    const line = beginLine.exec(text.slice(begin, begin + maxLineLength));
    if (!line) continue;
    const from = begin + line[0].length;
    const to = endOfKey(text, from) ?? endOfBody(text, from);
    if (to === from) continue;
    parts.push(text.slice(done, from), '***');
    done = to;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

/** Where the frame's last line begins. */
function endOfKey(text: string, from: number): number | undefined {
  const next = text.indexOf('-----', from);
  if (next === -1 || next - from > maxKeyLength) return undefined;
  return endLine.test(text.slice(next, next + maxLineLength)) ? next : undefined;
}

function endOfBody(text: string, from: number): number {
  keyBody.lastIndex = from;
  return from + (keyBody.exec(text)?.[0].length ?? 0);
}

// Both patterns stay linear: the first never reads past a slash, the second takes the whole address whether it has a query or not.
// `\/` and `\u0026` are how JSON may write a slash and an ampersand.
const credentials = /(?<=[a-z0-9])(:\\?\/\\?\/)([^\s/?#"'<>`\\\x00-\x1f]+)@/gi;
const webAddress =
  /((?<=[a-z0-9]):\\?\/\\?\/[^\s?"'<>`\x00-\x1f]*)(\?[^\s"'<>`\\\x00-\x1f]+(?:\\(?:u[0-9a-f]{4}|\/)[^\s"'<>`\\\x00-\x1f]*)*)?/gi;

const isWeb = (text: string, end: number): boolean => /(?:https?|wss?)$/i.test(text.slice(Math.max(0, end - 5), end));
