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

// Both patterns stay linear: the first never reads past a slash, the second takes the whole address whether it has a query or not.
// `\/` and `\u0026` are how JSON may write a slash and an ampersand.
const credentials = /(?<=[a-z0-9])(:\\?\/\\?\/)([^\s/?#"'<>`\\\x00-\x1f]+)@/gi;
const webAddress =
  /((?<=[a-z0-9]):\\?\/\\?\/[^\s?"'<>`\x00-\x1f]*)(\?[^\s"'<>`\\\x00-\x1f]+(?:\\(?:u[0-9a-f]{4}|\/)[^\s"'<>`\\\x00-\x1f]*)*)?/gi;

const isWeb = (text: string, end: number): boolean => /(?:https?|wss?)$/i.test(text.slice(Math.max(0, end - 5), end));
