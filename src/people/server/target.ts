/** What a URL asks for. `id` is absent where only the token says which question is meant. */
export type Target =
  | { kind: 'callback'; id?: string; token: string; actions: readonly string[]; message?: string }
  | { kind: 'other'; path: string };

/**
 * `/callback/ID/TOKEN`, `/callback/ID?token=`, `/callback?token=`, with anything before `/callback` that a proxy left
 * there. A URL that already had a query when `?action=` was added to it is understood as well.
 */
export function parseTarget(url: string): Target {
  const cut = url.indexOf('?');
  const path = cut === -1 ? url : url.slice(0, cut);
  const query = new URLSearchParams(cut === -1 ? '' : url.slice(cut + 1).replaceAll('?', '&'));
  const match = /^(?:\/[^?#]*)?\/callback(?:\/([^/]+)(?:\/([^/]+))?)?\/?$/.exec(path);
  if (!match) return { kind: 'other', path };
  const [, id, inPath] = match;
  const message = query.get('message');
  return {
    kind: 'callback',
    ...(id !== undefined && { id }),
    token: inPath ?? query.get('token') ?? '',
    actions: query.getAll('action'),
    ...(message !== null && { message }),
  };
}

/** Where the page's form goes when the URL names an action itself, which the button that is pressed may not be. */
export const formOf = ({ actions, token }: Extract<Target, { kind: 'callback' }>): { formTo?: string } =>
  actions.length === 0 ? {} : { formTo: `?token=${encodeURIComponent(token)}` };
