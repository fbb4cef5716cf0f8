import type { IncomingMessage } from 'node:http';

export const maxBodyBytes = 64 * 1024 * 1024;

/** The whole body as text; undefined where it is too long or does not come. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return Promise.resolve(undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise(resolve => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    for (const event of ['error', 'aborted', 'close']) request.on(event, () => resolve(undefined));
  });
}
