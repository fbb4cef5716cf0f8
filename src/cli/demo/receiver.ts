import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Long enough to read the question. */
const thinkingMs = 1500;

/** Stands in for the chat in which a person would press a button: it gets the question and says yes after a while. */
export async function startReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      response.end('ok');
      const { approve } = JSON.parse(text) as { approve: string };
      setTimeout(() => void press(approve), thinkingMs);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Somebody at the terminal may have been faster. */
async function press(url: string): Promise<void> {
  try {
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"go ahead"}',
    });
  } catch {
    // The session has ended meanwhile.
  }
}
