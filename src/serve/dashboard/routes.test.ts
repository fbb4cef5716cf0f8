import { rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/program.ts';
import { createHttpServer } from '../../people/http/router.ts';
import { createWork } from '../running-requests.ts';
import { createGrant } from './grants.ts';
import { createDashboard } from './routes.ts';

const folder = temporaryFolder('serve-show');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const token = 'secret';
const idleMs = 100;

interface Shown {
  /** Whether nothing that counts was asked for a while. */
  isIdle(): boolean;
  /** How many requests have counted. */
  counted(): number;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<number>;
  cookie: string;
}

async function shown(): Promise<Shown> {
  let [isIdle, counted] = [false, 0];
  const work = createWork(idleMs, () => {
    isIdle = true;
  });
  const take: typeof work.take = (gone, run) => {
    counted += 1;
    return work.take(gone, run);
  };
  const dashboard = createDashboard({ env: { HOME: folder }, token, work: { take } });
  const server = createHttpServer(dashboard, { requestTimeout: 0, keepAliveTimeout: 0 });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.close();
    await work.finish(0);
  });
  const { port } = server.address() as AddressInfo;
  return {
    isIdle: () => isIdle,
    counted: () => counted,
    cookie: `hookloop-${port}=${createGrant('cookie', token)}`,
    get: (path, headers = {}) =>
      new Promise((resolve, reject) => {
        httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, response => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        })
          .on('error', reject)
          .end();
      }),
  };
}

test('a person who looks keeps serve from ending', async () => {
  const { counted, get, cookie } = await shown();
  for (const path of ['/', '/refresh.js', '/?still']) expect(await get(path, { cookie })).toBe(200);
  expect(counted()).toBe(3);
});

test.each<[string, string, (cookie: string) => Readonly<Record<string, string>>]>([
  ['has no cookie', '/', () => ({})],
  ['asks for what is not there', '/favicon.ico', () => ({})],
  ['comes with a link that does not count', '/enter/1.wrong', () => ({})],
  ['comes from another web page', '/', cookie => ({ cookie, origin: 'https://elsewhere.example' })],
])('whoever %s does not, however often', async (_, path, headers) => {
  const { isIdle, get, cookie } = await shown();
  for (const untilMs = performance.now() + 3000; !isIdle() && performance.now() < untilMs; )
    expect(await get(path, headers(cookie))).toBe(403);
  expect(isIdle()).toBe(true);
});
