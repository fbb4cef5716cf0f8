import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, temporaryFolder } from '../../../test/program.ts';
import { projectId, rememberProject } from '../../app/projects.ts';
import { createApprovals } from '../../people/approvals.ts';
import { freePort } from '../../people/fixtures/user.ts';
import { questionsOf } from '../../session/file-store/question-files.ts';
import { writeSession } from '../../session/state/fixtures/project.ts';
import { wholeSession } from '../../session/state/fixtures/records.ts';
import { createServeWorld, type ServeWorld } from '../fixtures/world.ts';
import { createGrant, lifeMs } from './grants.ts';

const folder = temporaryFolder('dashboard');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Got {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

async function served(): Promise<{
  world: ServeWorld;
  url: string;
  token: string;
  /** With the cookie of an open page unless told otherwise. */
  get(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Got>;
}> {
  const world = createServeWorld(folder, program);
  rememberProject(world.env, world.project);
  await writeSession(world.project, 'parser', wholeSession);
  const { url, token } = (await world.serve('--port', '0')).address;
  const { port } = new URL(url);
  const cookie = `hookloop-${port}=${createGrant('cookie', token)}`;
  const get = (path: string, headers: Readonly<Record<string, string>> = { cookie }, method = 'GET'): Promise<Got> =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.on('error', reject).end();
    });
  return { world, url, token, get };
}

const pathOfParser = ({ project }: ServeWorld): string => `/session/${projectId(project)}/parser`;

describe('the dashboard', () => {
  test('tells nothing without its cookie, whatever else is shown to it', async () => {
    const { world, url, token, get } = await served();
    const { port } = new URL(url);
    const hookToken = JSON.parse(readFileSync(join(world.state, 'serve-http.json'), 'utf8')).token;
    const name = `hookloop-${port}`;
    const old = createGrant('cookie', token, Date.now() - lifeMs.cookie - 1000);
    const wrong = [
      {},
      { authorization: `Bearer ${token}` },
      ...[
        token,
        hookToken,
        createGrant('link', token),
        createGrant('cookie', hookToken),
        old,
        `${createGrant('cookie', token)}x`,
        '',
      ].map(value => ({ cookie: `${name}=${value}` })),
      { cookie: `hookloop-1=${createGrant('cookie', token)}` },
    ];
    const paths = [
      '/',
      pathOfParser(world),
      '/refresh.js',
      '/approval/00000000',
      '/enter/',
      `/enter/${token}`,
      '/?still',
    ];
    for (const headers of wrong)
      for (const path of paths) {
        const { status, text, headers: sent } = await get(path, headers);
        expect({ path, headers, status, cookie: sent['set-cookie'] }).toEqual({
          path,
          headers,
          status: 403,
          cookie: undefined,
        });
        expect(text).not.toContain('parser');
      }
    expect((await get('/')).text).toContain('parser');
  });

  test('tells nothing to other hosts and other web pages', async () => {
    const { url, token, get } = await served();
    const { port } = new URL(url);
    const cookie = `hookloop-${port}=${createGrant('cookie', token)}`;
    const refused: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
      [421, { host: `evil.example:${port}` }],
      [421, { host: '127.0.0.1' }],
      [403, { origin: 'https://evil.example' }],
      [403, { origin: `http://127.0.0.1:${port}` }],
      [403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
      [403, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
      [403, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ];
    for (const [status, headers] of refused) {
      const got = await get('/', { cookie, ...headers });
      expect({ headers, status: got.status }).toEqual({ headers, status });
      expect(got.text).not.toContain('parser');
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await get('/', { cookie }, method)).status).toBeGreaterThanOrEqual(401);
  });

  test('says in its headers that no script but its own runs, and that no one frames, reads or keeps it', async () => {
    const { get } = await served();
    const { headers, text } = await get('/');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(text).not.toMatch(/<script(?! src="\/refresh\.js" defer><)|\son\w+=|\sstyle=/);
    expect(await get('/', undefined, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test('is opened by a link, which becomes a cookie', async () => {
    const { world, url, token, get } = await served();
    const link = world.run(['serve', '--link']).stdout.trim();
    const { status, headers } = await get(new URL(link).pathname, {});
    expect({ status, location: headers['location'] }).toEqual({ status: 303, location: '/' });
    const [set = ''] = headers['set-cookie'] ?? [];
    expect(set).toMatch(/^hookloop-\d+=[^;]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    expect((await get('/', { cookie: set.split(';')[0]! })).status).toBe(200);
    const late = createGrant('link', token, Date.now() - lifeMs.link - 1000);
    expect((await get(`/enter/${late}`, {})).status).toBe(403);
    const again = world.run(['serve']);
    expect(again).toMatchObject({ exit: 75, stdout: '' });
    expect(again.stderr).toContain(`${url}/enter/`);
    expect([again.stderr, link].join()).not.toContain(token);
  });

  test('has no link for the agent of a session, and none where serve does not run', async () => {
    const { world } = await served();
    const env = { HOOKLOOP_SESSION_DIR: '/somewhere', HOOKLOOP_SESSION: 's' };
    expect(world.run(['serve', '--link'], { env })).toMatchObject({ exit: 64, stdout: '' });
    expect(world.run(['serve'], { env }).stderr).not.toContain('/enter/');
    const other = createServeWorld(folder, program);
    expect(other.run(['serve', '--link'])).toEqual({
      exit: 1,
      stdout: '',
      stderr: expect.stringContaining('is not running'),
    });
  });

  test('changes nothing, and finds what it does not know to be nothing', async () => {
    const { world, get } = await served();
    const approvals = createApprovals({
      ...{ questions: questionsOf(world.env), session: 'parser', root: world.project },
      sessionFolder: join(world.project, '.hookloop/sessions/parser'),
    });
    onTestFinished(() => approvals.close());
    const question = { event: { name: 'stage.completed' }, question: 'Is <this> right?', deadlineMs: null } as const;
    const asked = await approvals.open({ ...question, port: await freePort() });
    if (asked.kind === 'failed') throw new Error(asked.reason);
    const before = filesOf(world.home, world.project);
    const { text } = await get('/');
    expect(text).toContain('Is &lt;this&gt; right?');
    expect(text).not.toContain(new URL(asked.callbackUrl).pathname);
    const page = expect.stringMatching(`^${asked.callbackUrl}\\?from=\\d+\\.[\\w-]+$`);
    expect(await get(`/approval/${asked.id}`)).toMatchObject({ status: 303, headers: { location: page } });
    expect((await get(pathOfParser(world))).text).toContain('npm test');
    const id = projectId(world.project);
    const unknown = [
      'nothing',
      'parser/../parser',
      'parser/x',
      '%2e%2e',
      '..',
      '.',
      'x'.repeat(5000),
      'parser/on_stage_complete-0',
    ];
    for (const name of unknown)
      expect({ name, status: (await get(`/session/${id}/${name}`)).status }).toEqual({ name, status: 404 });
    for (const path of [
      '/session/0000000000000000/parser',
      '/approval/00000000',
      '/favicon.ico',
      '/enter',
      '//',
      '/%00',
    ])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 });
    expect(filesOf(world.home, world.project)).toEqual(before);
    await asked.close('done');
    expect((await get(`/approval/${asked.id}`)).status).toBe(303);
  });
});

/** Every file and when it changed. */
function filesOf(...roots: readonly string[]): Record<string, number> {
  const files = roots.flatMap(root =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)),
  );
  return Object.fromEntries(files.map(file => [file, statSync(file).mtimeMs]));
}
