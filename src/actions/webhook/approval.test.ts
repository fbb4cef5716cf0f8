import { expect, test } from 'vitest';
import type { ApprovalAnswer } from '../../model/index.ts';
import { elapsedMs, eventually } from '../fixtures/programs.ts';
import type { ApprovalPort, ApprovalRequest, OpenApproval } from './approval.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

const answered: ApprovalAnswer = {
  kind: 'answered',
  action: 'approve',
  message: 'looks good',
  response: { action: 'approve', message: 'looks good', extra: 1 },
  by: 'someone',
  at: '2026-01-01T00:00:00.000Z',
};
const outcome = answered;
const callbackUrl = 'http://127.0.0.1:8765/callback/a1/t0ken-of-the-callback';

/** Approvals in memory; what happens to them is kept in order. */
function approvals(more: Partial<OpenApproval> = {}) {
  const log: string[] = [];
  const requests: ApprovalRequest[] = [];
  let settle: (ending: Awaited<ReturnType<OpenApproval['wait']>>) => void = () => {};
  const port: ApprovalPort = {
    async open(request) {
      requests.push(request);
      log.push('open');
      return {
        kind: 'open',
        id: 'a1',
        callbackUrl,
        sent: false,
        isSettled: false,
        markSent: async () => void log.push('sent'),
        close: async reason => void log.push(`closed: ${reason}`),
        wait: signal =>
          new Promise(resolve => {
            settle = resolve;
            signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
          }),
        ...more,
      };
    },
  };
  return { port, log, requests, settle: (ending: Parameters<typeof settle>[0]) => settle(ending) };
}

const asking = (url: string, more: Parameters<typeof webhook>[1] = {}) => webhook(url, { approval: true, ...more });

test('the approval is open before the question is sent, and the answer is the outcome', async () => {
  const { port, log, requests, settle } = approvals();
  const { url, received } = await receiver(response => {
    log.push('received');
    response.end('ok');
  });
  const body = { text: 'Plan of ${SESSION}', actions: [{ callback: '${CALLBACK_URL}?action=approve' }] };
  const sent = run(asking(url, { body, title: 'Plan ${ITERATION}' }), { key: 'k1' }, { approvals: port });
  await eventually(() => log.includes('sent'));
  settle(answered);
  expect(await sent).toEqual({ outcome, warnings: [] });
  expect(log).toEqual(['open', 'received', 'sent']);
  expect(JSON.parse(received[0]!.body).actions).toEqual([{ callback: `${callbackUrl}?action=approve` }]);
  expect(requests).toEqual([
    {
      key: 'k1',
      hook: expect.objectContaining({ spelling: 'session.completed' }),
      event: { name: 'session.completed', session: 's1' },
      question: 'Plan of s1',
      title: 'Plan 3',
      port: 8765,
      deadlineMs: 10_000,
    },
  ]);
});

test.each([
  [{ question: 'Ship ${SESSION}?', body: { text: 'x' } }, 'Ship s1?'],
  [{ body: { text: ' ', question: 'Really?' } }, 'Really?'],
  [{ body: { title: 'T' } }, 'T'],
  [{ body: { text: 5 } }, 'Approve?'],
  [{ body: 'plain' }, 'Approve?'],
  [{ body: { text: '${API_TOKEN} ${SESSION} ${CALLBACK_URL}' } }, '*** s1 ***'],
])('%j asks %j', async (action, question) => {
  const { port, requests } = approvals({ isSettled: true, wait: async () => answered });
  await run(asking('http://127.0.0.1:1/', action), {}, { approvals: port, env: { API_TOKEN: 'hidden-1' } });
  expect(requests[0]).toMatchObject({ question });
});

test('an answer that comes while sending still tries counts at once', async () => {
  const { port, settle, log } = approvals();
  const { url } = await receiver(response => {
    response.writeHead(503, { 'retry-after': '8' }).end();
    settle(answered);
  });
  const ms = await elapsedMs(async () =>
    expect((await run(asking(url, { retries: 3 }), {}, { approvals: port })).outcome).toEqual(outcome),
  );
  expect(ms).toBeLessThan(7500);
  expect(log).toEqual(['open']);
});

test('a question that cannot be sent is closed, and the outcome says why without the token', async () => {
  const { port, log } = approvals();
  const { url } = await receiver((response, _at, request) => {
    response.writeHead(404).end(`no ${request.url} ${callbackUrl} t0ken-of-the-callback`);
  });
  const { outcome: refused } = await run(asking(`${url}/?to=\${CALLBACK_URL}`), {}, { approvals: port });
  expect(refused).toMatchObject({ kind: 'replied', status: 404 });
  expect(JSON.stringify(refused)).not.toContain('t0ken');
  expect(log).toEqual(['open', 'closed: it could not be sent']);

  const { outcome: unreachable } = await run(asking('http://127.0.0.1:1/'), {}, { approvals: port });
  expect(unreachable).toEqual({ kind: 'not-started', reason: 'http://127.0.0.1:1: connection refused' });
});

test('a question no one took in time was not asked: that is no time-out of an answer', async () => {
  const { port, log } = approvals();
  const { url } = await receiver(() => {});
  const { outcome: unsent } = await run(asking(url), { timeoutMs: 300 }, { approvals: port });
  expect(unsent).toEqual({ kind: 'not-started', reason: `${url}: no answer in time; time ran out` });
  expect(log).toEqual(['open', 'closed: it could not be sent']);
});

test('an answer in the moment in which sending is given up still counts', async () => {
  const { port, log } = approvals({
    wait: signal => new Promise(resolve => signal.addEventListener('abort', () => resolve(answered))),
  });
  expect((await run(asking('http://127.0.0.1:1/'), {}, { approvals: port })).outcome).toEqual(outcome);
  expect(log).toEqual(['open', 'closed: it could not be sent']);
});

test('no answer is a time-out once the question was sent', async () => {
  const { port, log, settle } = approvals();
  const { url } = await receiver();
  const sent = run(asking(url), { timeoutMs: 86_400_000 }, { approvals: port });
  await eventually(() => log.includes('sent'));
  settle({ kind: 'expired' });
  expect((await sent).outcome).toEqual({ kind: 'timed-out', afterMs: 86_400_000, stdout: '', stderr: '' });
});

test.each([true, false])('a stopped session keeps its approval open (already sent: %s)', async isSent => {
  const { port, log } = approvals({ sent: isSent });
  const { url, received } = await receiver(() => {});
  const controller = new AbortController();
  const sent = run(asking(url), { signal: controller.signal }, { approvals: port });
  await eventually(() => (isSent ? log.includes('open') : received.length === 1));
  controller.abort();
  expect((await sent).outcome).toEqual({ kind: 'cancelled' });
  expect(log).toEqual(['open']);
});

test.each([
  [{ sent: true }, answered, outcome],
  [{ isSettled: true }, answered, outcome],
  [{ sent: true, isSettled: true }, { kind: 'expired' } as const, { kind: 'timed-out', afterMs: 10_000 }],
  [
    { isSettled: true },
    { kind: 'expired' } as const,
    { kind: 'not-started', reason: 'its time ran out before it could be sent' },
  ],
  [{ isSettled: true }, { kind: 'cancelled' } as const, { kind: 'not-started', reason: 'the question was withdrawn' }],
])('after a crash a question that is %j is not sent again', async (state, ending, expected) => {
  const { port } = approvals({ ...state, wait: async () => ending });
  const { url, received } = await receiver();
  expect((await run(asking(url), {}, { approvals: port })).outcome).toMatchObject(expected);
  expect(received).toEqual([]);
});

test('no one is asked with a URL that cannot be sent to', async () => {
  const { port, log } = approvals();
  const { outcome: refused } = await run(asking('https://10.0.0.1/${CALLBACK_URL}'), {}, { approvals: port });
  expect(refused).toMatchObject({ kind: 'not-started', reason: expect.stringContaining('private') });
  expect(log).toEqual([]);
});

test('without approvals, or where they fail, the question is not sent', async () => {
  const { url, received } = await receiver();
  expect((await run(asking(url))).outcome).toEqual({ kind: 'not-started', reason: 'approvals are not available here' });
  const port: ApprovalPort = { open: async () => ({ kind: 'failed', reason: 'port 8765 is taken' }) };
  expect((await run(asking(url), {}, { approvals: port })).outcome).toEqual({
    kind: 'not-started',
    reason: 'no one can be asked: port 8765 is taken',
  });
  expect(received).toEqual([]);
});
