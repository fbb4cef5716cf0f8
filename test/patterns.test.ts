import { cpSync, existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleForTests, type Project } from './loop/project.ts';
import { root } from './program.ts';

const bundled = await bundleForTests();

/** A receiver of webhooks that keeps what it got, and may act on it. */
interface Received {
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

const received: Received[] = [];
let onReceived: ((received: Received) => void) | undefined;
let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const got = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      received.push(got);
      response.end('ok');
      onReceived?.(got);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function play(
  pipeline: string,
): Promise<{ project: Project; code: number | null; stderr: string; got: Received[] }> {
  const project = bundled.project({});
  cpSync(join(root, 'examples/patterns'), project.project, { recursive: true });
  received.length = 0;
  const env = { SLACK_WEBHOOK: `${address}/slack`, METRICS_ENDPOINT: `${address}/metrics` };
  const started = project.start(['run', pipeline, '--session', 's'], env);
  const { code } = await started.ended;
  onReceived = undefined;
  return { project, code, stderr: started.stderr(), got: [...received] };
}

/** Answers as a person does who presses a button. */
const press =
  (action: string) =>
  ({ body }: Received): void => {
    const url = /http:\/\/127\.0\.0\.1:\d+\/callback\/[^"?]+/.exec(JSON.stringify(body))?.[0];
    if (url) void fetch(`${url}?action=${action}`, { method: 'POST' });
  };

test('1: a message with the number of iterations is sent when it is over', async () => {
  const { code, got } = await play('1-notification');
  expect(code).toBe(0);
  expect(got.map(({ body }) => body)).toEqual([{ text: ':white_check_mark: s completed in 2 iterations' }]);
});

test('2: the plan waits for a person, and an approval lets the work begin', async () => {
  onReceived = press('approve');
  const { code, got, project } = await play('2-approval');
  expect(got).toHaveLength(1);
  expect(got[0]!.body).toMatchObject({ text: 'Plan ready for s', blocks: [{ elements: [{ text: 'Approve' }, {}] }] });
  expect(code).toBe(0);
  expect(existsSync(project.pathOf('.hookloop/sessions/s/stage-01-work'))).toBe(true);
});

test('2: a rejected plan ends the session before the work begins', async () => {
  onReceived = press('reject');
  const { code, project, stderr } = await play('2-approval');
  expect(code).toBe(1);
  expect(stderr).toContain('answered reject');
  expect(existsSync(project.pathOf('.hookloop/sessions/s/stage-01-work'))).toBe(false);
});

test('3: a review pipeline runs every tenth iteration with the files that have changed', async () => {
  const { code, project } = await play('3-periodic-review');
  expect(code).toBe(0);
  const children = project.pathOf('.hookloop/sessions/s/children');
  expect(readdirSync(children)).toEqual(['on_iteration_complete-10', 'on_iteration_complete-20']);
  const inputs = project.read('.hookloop/sessions/s/children/on_iteration_complete-20/inputs.json');
  expect(JSON.parse(inputs).files).toContain('work.txt');
});

test('4: a person is asked only when the tests have failed, and may go on or abort', async () => {
  onReceived = press('continue');
  const ignored = await play('4-quality-gate');
  expect(ignored.code).toBe(0);
  expect(ignored.got.map(({ body }) => (body as { text: string }).text)).toEqual([
    'Tests failed - manual review needed',
  ]);
  onReceived = press('abort');
  expect((await play('4-quality-gate')).code).toBe(1);
});

test('5: backup, metrics and notification are done though no one waits for them', async () => {
  const { code, got, project } = await play('5-backup');
  expect(code).toBe(0);
  expect(project.read('progress-backup.md')).toContain('# Progress of s');
  expect(project.read('metrics.txt').trim()).toBe('1');
  expect(got).toMatchObject([{ path: '/metrics', body: { session: 's', iteration: '1' } }]);
});

test('6: everything is reviewed before the last stage, and at no other point', async () => {
  const { code, project } = await play('6-review-before-deploy');
  expect(code).toBe(0);
  const children = readdirSync(project.pathOf('.hookloop/sessions/s/children'));
  expect(children).toHaveLength(1);
  const inputs = project.read(`.hookloop/sessions/s/children/${children[0]}/inputs.json`);
  expect(JSON.parse(inputs).all_outputs.split('\n')).toHaveLength(2);
});
