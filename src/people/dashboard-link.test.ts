import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { userSecret } from '../session/file-store/question-files.ts';
import { wayBackTo } from './dashboard-link.ts';
import { createUser } from './fixtures/user.ts';
import { dashboardCookie } from './http/access.ts';

/** A question, and someone who listens where the dashboard would. */
async function asked() {
  const user = createUser();
  const { callbackUrl } = await user.ask();
  const dashboard = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await once(dashboard, 'listening');
  const { port } = dashboard.address() as AddressInfo;
  const close = (): void => void dashboard.close();
  onTestFinished(close);
  const from = wayBackTo(userSecret(user.folder), port);
  const cookie = `other=1; ${dashboardCookie(port)}=pass`;
  const look = async (query: string, headers: Readonly<Record<string, string>>, body?: string): Promise<string> => {
    const sent = { accept: 'text/html', ...headers };
    const form = { ...sent, 'content-type': 'application/x-www-form-urlencoded' };
    const init = body === undefined ? { headers: sent } : { method: 'POST', headers: form, body };
    return (await fetch(`${callbackUrl}${query}`, init)).text();
  };
  return { user, port, close, from, cookie, look };
}

const linkTo = (port: number): string => `<a href="http://127.0.0.1:${port}/">All sessions</a>`;

test('whom the dashboard has sent to a question finds the way back, also after the answer', async () => {
  const { port, from, cookie, look } = await asked();
  expect(await look(`?${from}`, { cookie })).toContain(linkTo(port));
  expect(await look(`?action=approve&${from}`, { cookie })).toContain(linkTo(port));
  const answered = await look(`?${from}`, { cookie }, 'action=approve&message=');
  expect(answered).toContain('your answer is recorded');
  expect(answered).toContain(linkTo(port));
});

test('whoever was not sent by it, or may not see it, finds none', async () => {
  const { user, port, from, cookie, look } = await asked();
  const other = wayBackTo(userSecret(user.folder), port + 1);
  const refused: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['', { cookie }],
    [`?${from}`, {}],
    [`?${from}`, { cookie: `${dashboardCookie(port + 1)}=pass` }],
    [`?${other.replace(/=\d+/, `=${port}`)}`, { cookie }],
    [`?${from}x`, { cookie }],
    [`?from=${port}`, { cookie }],
    [`?from=https://elsewhere.example`, { cookie }],
  ];
  for (const [query, headers] of refused) {
    const page = await look(query, headers);
    expect(page).toContain('May I deploy?');
    expect({ query, headers, hasLink: /All sessions|elsewhere\.example|<a class="brand"/.test(page) }).toEqual({
      ...{ query, headers, hasLink: false },
    });
  }
});

test('where no one listens any more there is no way back', async () => {
  const { close, from, cookie, look } = await asked();
  close();
  expect(await look(`?${from}`, { cookie })).not.toContain('All sessions');
});
