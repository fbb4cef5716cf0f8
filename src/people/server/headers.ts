/**
 * What keeps a page from being framed, sniffed, kept, or made to load anything that `allowed` does not name. With the
 * referrer policy `no-referrer` browsers send `Origin: null` with our own form, which would then be refused.
 */
export const pageHeaders = (...allowed: readonly string[]): Readonly<Record<string, string>> => ({
  // What is left of a body that was not read must not be taken for the next request.
  connection: 'close',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    ...allowed,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
});
