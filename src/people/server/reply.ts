import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedWords } from '../../model/index.ts';
import { renderPage } from '../page/page.ts';
import { styleHash } from '../page/style.ts';
import type { View } from '../page/view.ts';
import { pageHeaders } from './headers.ts';

export interface Refusal {
  status: number;
  message: string;
}

export interface Reply {
  status: number;
  view: View;
  /** Where whoever asks may go back to. */
  home?: string | undefined;
}

/** As a page for people, as JSON for programs. */
export function sendReply(request: IncomingMessage, response: ServerResponse, { status, view, home }: Reply): void {
  const accept = request.headers.accept ?? '';
  const isPage = accept.includes('text/html') || (request.method !== 'POST' && !accept.includes('application/json'));
  const text = isPage ? renderPage(view, home) : `${JSON.stringify(toJson(view))}\n`;
  send(request, response, { status, type: isPage ? 'text/html' : 'application/json', text });
}

export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, text }: { status: number; type: string; text: string },
): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, {
    ...headers,
    'content-type': `${type}; charset=utf-8`,
    'content-length': bytes.length,
    ...(status === 405 && { allow: 'GET, HEAD, POST' }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

const headers = pageHeaders(`style-src '${styleHash}'`);

function toJson(view: View): unknown {
  switch (view.kind) {
    case 'refused':
      return { status: 'refused', error: view.message };
    case 'unknown':
      return { status: 'unknown' };
    case 'waiting': {
      const { id, session, stage, iteration, title, question, since, expires, actions } = view.question;
      const error = view.problem === undefined ? {} : { error: view.problem };
      const asked = { id, session, stage, iteration, title, question, since, expires };
      return { status: 'waiting', ...error, ...asked, actions: acceptedWords(actions) };
    }
    case 'settled': {
      const { id } = view.question;
      const { settlement, news } = view;
      if (settlement.kind !== 'answered') return { status: settlement.kind, id, at: settlement.at };
      const { action, message, at, by } = settlement;
      return {
        status: news === 'recorded' ? 'recorded' : `already ${news === 'same' ? 'recorded' : 'answered'}`,
        id,
        action,
        message,
        at,
        by,
      };
    }
  }
}
