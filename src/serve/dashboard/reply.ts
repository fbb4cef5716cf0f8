import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageHeaders } from '../../people/page/frame.ts';
import { type Page, renderPage, style } from './page.ts';
import { script } from './script.ts';

const headers = pageHeaders(style, "script-src 'self'", "connect-src 'self'");

export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  page: Page,
  { still = false }: { still?: boolean } = {},
): void {
  send(request, response, status, 'text/html', renderPage(page, { still }));
}

export const sendScript = (request: IncomingMessage, response: ServerResponse): void =>
  send(request, response, 200, 'text/javascript', script);

export function sendRedirect(
  response: ServerResponse,
  location: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(303, { ...headers, ...more, location, 'content-length': 0 });
  response.end();
}

function send(request: IncomingMessage, response: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8`, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
