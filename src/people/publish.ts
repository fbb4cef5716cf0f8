import { type Question, readQuestion, writeQuestion } from '../session/questions/questions.ts';
import { hashToken, tokenOf } from '../session/questions/secret.ts';

export interface Publishing {
  folder: string;
  secret: Buffer;
  port: number;
  baseUrl: string | undefined;
}

/** What the URL says is on disk before anybody is told it. Contract: throws the system's error. */
export function publish(
  asked: Question,
  { folder, secret, port, baseUrl }: Publishing,
): { question: Question; url: string; isChanged: boolean } {
  const token = tokenOf(secret, asked.id, asked.nonce);
  const hash = hashToken(token);
  // Another secret than the one it was asked with makes another token; the old one stays valid.
  const tokenHashes = asked.tokenHashes.includes(hash) ? asked.tokenHashes : [hash, ...asked.tokenHashes];
  const { baseUrl: baseBefore, ...rest } = asked;
  const question = { ...rest, port, tokenHashes, ...(baseUrl !== undefined && { baseUrl }) };
  const url = callbackUrl(question, token);
  const isChanged = url !== callbackUrl(asked, token) || tokenHashes !== asked.tokenHashes;
  if (!isChanged && port === asked.port) return { question: asked, url, isChanged };
  writeQuestion(folder, question);
  return { question, url, isChanged };
}

/** Whether this very URL has reached its receiver, and a way to keep that it has. */
export function markSent(
  folder: string,
  { id, sentUrl }: Question,
  url: string,
): { sent: boolean; markSent(): Promise<void> } {
  const hash = hashToken(url);
  return {
    sent: sentUrl === hash,
    async markSent() {
      const question = readQuestion(folder, id);
      if (!question) return;
      try {
        writeQuestion(folder, { ...question, sentUrl: hash });
      } catch {
        // It is sent once more after a crash, which is better than not at all.
      }
    },
  };
}

/** Contract: throws for what cannot stand before `/callback`. */
export function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (!url || !isSafe || url.search || url.hash || url.username || url.password)
    throw new Error('callback_base_url must be an https address such as https://approvals.example.com');
  return url.href.replace(/\/+$/, '');
}

const loopback = /^(127(\.\d+){3}|localhost|\[::1\])$/;

const callbackUrl = ({ baseUrl, port, id }: Question, token: string): string =>
  `${baseUrl ?? `http://127.0.0.1:${port}`}/callback/${id}/${token}`;
