import type { IncomingMessage } from 'node:http';
import type { Refusal } from './reply.ts';

/** Hosts and origins at which questions are published beside the loopback address. */
export interface Published {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

/**
 * Refuses what a web page in somebody's browser could send here. A name that leads to 127.0.0.1 shows in Host, a foreign
 * page in Origin and Sec-Fetch-Site. `published` is asked only for other hosts than our own.
 */
export function guardRequest(request: IncomingMessage, port: number, published: () => Published): Refusal | undefined {
  const hosts = valuesOf(request, 'host');
  const [host] = hosts;
  if (hosts.length !== 1 || !host) return { status: 400, message: 'The request names no host, or several.' };
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!own.includes(host.toLowerCase()) && !published().hosts.has(host.toLowerCase()))
    return { status: 421, message: 'This server does not answer for that host.' };
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isOwnOrigin =
    origin === undefined || own.some(each => origin === `http://${each}`) || published().origins.has(origin);
  // A link that is followed comes from anywhere; it only shows the page.
  const isFollowedLink = request.method !== 'POST' && mode === 'navigate';
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none' || isFollowedLink;
  return isOwnOrigin && isOwnSite
    ? undefined
    : { status: 403, message: 'The request comes from another web page. Open the link itself to answer.' };
}

/** Where `callback_base_url` puts questions. */
export function publishedAt(baseUrls: Iterable<string>): Published {
  const urls = [...baseUrls].flatMap(text => (URL.canParse(text) ? [new URL(text)] : []));
  const hosts = urls.flatMap(({ host, hostname, port, protocol }) =>
    port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host],
  );
  return { hosts: new Set(hosts), origins: new Set(urls.map(({ origin }) => origin)) };
}

/** Node keeps only the first of several. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}
