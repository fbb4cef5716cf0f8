import { expect, test } from 'vitest';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

const posting = (url: string, more = {}) => webhook(url, { body: null, posts: { variables: ['TOKEN'] }, ...more });
const presentation = { env: {}, stdin: '{"tool_input":{"command":"echo ${TOKEN} $HOME"}}\n' };

test('a receiver gets what a script would read on stdin as it is, and its whole answer is the outcome', async () => {
  const answer = JSON.stringify({ decision: 'block', reason: 'x'.repeat(5000) });
  const { url, received } = await receiver(response => response.writeHead(200).end(answer));
  const { outcome } = await run(posting(url), { presentation });
  expect(outcome).toEqual({ kind: 'replied', status: 200, body: answer });
  expect(received[0]).toMatchObject({ method: 'POST', body: presentation.stdin.trim() });
  expect(received[0]!.headers).toMatchObject({ 'content-type': 'application/json' });
});

test('headers hold only the variables that the hook may use', async () => {
  const { url, received } = await receiver();
  const headers = { Authorization: 'Bearer ${TOKEN}', 'X-Other': '${OTHER}' };
  const { warnings } = await run(
    posting(url, { headers }),
    { presentation },
    { env: { TOKEN: 't1', OTHER: 'secret' } },
  );
  expect(received[0]!.headers).toMatchObject({ authorization: 'Bearer t1', 'x-other': '' });
  expect(warnings).toEqual([expect.stringContaining('${OTHER} has no value, or allowedEnvVars does not list it')]);
});

test('an answer that is too long to be read is none', async () => {
  const { url } = await receiver(response => response.writeHead(200).end('{'.padEnd(200_000)));
  const { outcome } = await run(posting(url), { presentation });
  expect(outcome).toMatchObject({ kind: 'not-started', reason: 'its answer is longer than can be read' });
});
