import { createServer, request } from 'node:http';

/**
 * A receiver on 127.0.0.1 that is slow. Messages get their answer once they are let go. Questions are taken at once, and
 * a person says yes to each once they are let go.
 */
export async function openReceiver({ isAsked }) {
  const ids = new Set();
  const held = [];
  let isLetGo = false;
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    ids.add(incoming.headers['webhook-id']);
    const reply = () => void setTimeout(() => response.end(), 50);
    if (isAsked) held.push(() => post(`${JSON.parse(text).answer}?action=approve`));
    if (isAsked || isLetGo) reply();
    else held.push(reply);
  });
  return {
    port: await listen(server),
    /** Deliveries that have come, each once. */
    ids,
    async letGo() {
      isLetGo = true;
      for (const release of held.splice(0)) await release();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function freePort() {
  const server = createServer();
  const port = await listen(server);
  await new Promise(resolve => server.close(resolve));
  return port;
}

const listen = server => new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const post = url =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST' }, response => response.resume().on('end', resolve));
    sent.on('error', reject).end();
  });
