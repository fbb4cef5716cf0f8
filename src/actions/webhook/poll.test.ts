import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { ApprovalAnswer, PollTemplate } from '../../model/index.ts';
import { eventually } from '../fixtures/programs.ts';
import type { ApprovalPort, OpenApproval } from './approval.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

/** Approvals in memory that take the answer of a server. */
function approvals(more: Partial<OpenApproval> = {}) {
  let settle: (answer: ApprovalAnswer) => void = () => {};
  const answered = new Promise<ApprovalAnswer>(resolve => {
    settle = resolve;
  });
  const port: ApprovalPort = {
    open: async () => ({
      ...{ kind: 'open', id: 'a1', callbackUrl: 'http://127.0.0.1:8765/callback/a1/t', sent: false, isSettled: false },
      markSent: async () => {},
      close: async () => {},
      answer: async given => settle({ kind: 'answered', ...given, at: 'now' }),
      wait: signal =>
        Promise.race([
          answered,
          new Promise<{ kind: 'cancelled' }>(resolve =>
            signal.addEventListener('abort', () => resolve({ kind: 'cancelled' })),
          ),
        ]),
      ...more,
    }),
  };
  return port;
}

const sending = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
};

/** Its question goes to `/ask`, and each further request gets the next of these answers, the last one again and again. */
async function answering(...answers: readonly (readonly [number, string])[]) {
  const paths: string[] = [];
  const left = [...answers];
  const { url } = await receiver((response, _at, request) => {
    paths.push(`${request.method} ${request.url}`);
    if (request.url === '/ask') return sending(response, 200, '');
    const [status, body] = left.length > 1 ? left.shift()! : left[0]!;
    sending(response, status, body);
  });
  return { url, paths };
}

const polling = (url: string, more: Partial<PollTemplate> = {}) =>
  webhook(`${url}/ask`, {
    approval: true,
    poll: {
      url: `${url}/state/\${SESSION}`,
      headers: {},
      everyMs: 20,
      until: "response.status == 'approved'",
      ...more,
    },
  });

test('a server is asked, once the question has arrived, until its answer approves', async () => {
  const { url, paths } = await answering(
    [200, '{}'],
    [200, '{"status":"open"}'],
    [200, '{"status":"approved","by":7}'],
  );
  const { outcome } = await run(polling(url), { key: 'k' }, { approvals: approvals() });
  expect(outcome).toMatchObject({ kind: 'answered', action: 'approve', response: { status: 'approved', by: 7 } });
  expect(paths).toEqual(['POST /ask', 'GET /state/s1', 'GET /state/s1', 'GET /state/s1']);
});

test.each([
  ['by `unless`', { unless: "response.status == 'rejected'" }, '{"status":"rejected","message":"too big"}', 'reject'],
  ['by a word of its own', { until: 'has(response.action)' }, '{"action":"reject","message":"too big"}', 'reject'],
  ['with a number', { until: 'response.approvals >= 2' }, '{"approvals":2,"message":"too big"}', 'approve'],
])('an answer decides %s', async (_how, more, body, action) => {
  const { url } = await answering([200, body]);
  const { outcome } = await run(polling(url, more), { key: 'k' }, { approvals: approvals() });
  expect(outcome).toMatchObject({ kind: 'answered', action, message: 'too big' });
});

test('answers that are of no use are told once, and asking goes on more slowly', async () => {
  const { url } = await answering(
    [500, ''],
    [200, 'no JSON'],
    [200, `"${'x'.repeat(70_000)}"`],
    [200, '{"status":"approved"}'],
  );
  const { outcome, warnings } = await run(polling(url), { key: 'k' }, { approvals: approvals() });
  expect(outcome).toMatchObject({ kind: 'answered', action: 'approve' });
  expect(warnings).toEqual([expect.stringMatching(/HTTP status 500; asking goes on$/)]);
});

test('after a crash the question is not sent again, and asking goes on', async () => {
  const { url, paths } = await answering([200, '{"status":"approved"}']);
  const { outcome } = await run(polling(url), { key: 'k' }, { approvals: approvals({ sent: true }) });
  expect(outcome).toMatchObject({ kind: 'answered', action: 'approve' });
  expect(paths).toEqual(['GET /state/s1']);
});

test('without anything to send a server is only asked', async () => {
  const { url, paths } = await answering([200, '{"status":"approved"}']);
  await run({ ...polling(url), sends: false }, { key: 'k' }, { approvals: approvals() });
  expect(paths).toEqual(['GET /state/s1']);
});

test('a person may answer first, and then no one is asked any more', async () => {
  const { url, paths } = await answering([200, '{"status":"open"}']);
  let settle: (answer: ApprovalAnswer) => void = () => {};
  const given: ApprovalAnswer = { kind: 'answered', action: 'reject', message: 'no', response: {}, at: 'now' };
  const wait: OpenApproval['wait'] = () =>
    new Promise(resolve => {
      settle = resolve;
    });
  const running = run(polling(url), { key: 'k' }, { approvals: approvals({ wait }) });
  await eventually(() => paths.length >= 3);
  settle(given);
  expect((await running).outcome).toMatchObject({ kind: 'answered', action: 'reject' });
  const count = paths.length;
  await eventually(() => paths.length <= count + 1);
});

test('a URL that may not be asked is told before anyone is asked', async () => {
  const { url, paths } = await answering([200, '{}']);
  const { outcome } = await run(
    polling(url, { url: 'http://example.com/x' }),
    { key: 'k' },
    { approvals: approvals() },
  );
  expect(outcome).toMatchObject({ kind: 'not-started', reason: expect.stringContaining('http is allowed only') });
  expect(paths).toEqual([]);
});
