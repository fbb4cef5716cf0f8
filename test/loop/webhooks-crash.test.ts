import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Answer, receiver } from '../../src/actions/webhook/fixtures/receiver.ts';
import { freePort } from '../../src/people/fixtures/user.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project, type Started } from './project.ts';

const bundled = await bundleForTests();

const projectWith = (hooks: unknown, turns: Parameters<typeof diary>[0] = {}): Project =>
  bundled.project({ ...diary(turns), 'hookloop.yaml': JSON.stringify({ hooks }) });

const begin = (project: Project, ...more: readonly string[]): Started =>
  project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go', '--quiet', ...more]);

const isKept = (entry: ReturnType<Project['journal']>[number]): boolean =>
  entry.kind === 'step.done' && entry.key.endsWith('/kept');

const triesIn = (project: Project): number =>
  project.lines('.hookloop/sessions/s/journal.jsonl').length === 0 ? 0 : project.journal('s').filter(isKept).length;

/** Kills the session as soon as so many tries are on disk. */
async function killAfterTries(project: Project, tries: number): Promise<void> {
  const started = begin(project);
  await eventually(() => triesIn(project) >= tries);
  started.process.kill('SIGKILL');
  expect((await started.ended).signal).toBe('SIGKILL');
}

async function resume(project: Project): Promise<string> {
  const started = project.start(['resume', 's', '--quiet']);
  const { code } = await started.ended;
  expect([started.stderr(), code]).toEqual([started.stderr(), 0]);
  return started.stderr();
}

/** A receiver that knows when each request came. */
async function clocked(answer: Answer) {
  const atMs: number[] = [];
  const found = await receiver((response, at, request) => {
    atMs.push(Date.now());
    answer(response, at, request);
  });
  return { ...found, atMs };
}

test('killed between two tries, a question and a message go on with the pause and the tries that are left', async () => {
  const busy = await clocked(response => response.writeHead(429, { 'retry-after': '3' }).end());
  const person = await clocked((response, at) =>
    response.writeHead(at === 0 ? 503 : 200, at === 0 ? { 'retry-after': '3' } : {}).end(),
  );
  const project = projectWith({
    'session.starting': [
      { type: 'webhook', url: busy.url, retries: 1, await: false },
      {
        type: 'webhook',
        url: person.url,
        retries: 1,
        await: true,
        callback_port: await freePort(),
        body: { answer: '${CALLBACK_URL}' },
      },
    ],
  });
  await killAfterTries(project, 2);
  expect([busy.received.length, person.received.length]).toEqual([1, 1]);
  const done = resume(project);
  await eventually(() => person.received.length === 2);
  const { answer } = JSON.parse(person.received[1]!.body) as { answer: string };
  expect((await fetch(`${answer}?action=approve`, { method: 'POST' })).status).toBe(200);
  await done;
  const resumedMs = Date.parse(project.journal('s').find(({ kind }) => kind === 'session.resumed')!.at);
  for (const { received, atMs } of [busy, person]) {
    expect(received).toHaveLength(2);
    expect(atMs[1]! - atMs[0]!).toBeGreaterThan(2900);
    // A pause that began anew would end 3 s after the resume at the earliest.
    expect(atMs[1]! - Math.max(resumedMs, atMs[0]! + 3000)).toBeLessThan(2900);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }
  const results = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.result] : []));
  expect(results.map(result => result.status === 'finished' && result.outcome.kind).sort()).toEqual([
    'answered',
    'replied',
  ]);
});

test('killed after the last try, it fails with what was answered and without another request', async () => {
  const { url, received } = await receiver(response => response.writeHead(503).end());
  const project = projectWith({ 'session.starting': [{ type: 'webhook', url, retries: 0, await: false }] });
  expect((await begin(project).ended).code).toBe(0);
  // As a crash leaves it between the last try's record and the hook's.
  const journal = project.pathOf('.hookloop/sessions/s/journal.jsonl');
  const at = project.journal('s').findIndex(isKept);
  writeFileSync(
    journal,
    `${readFileSync(journal, 'utf8')
      .split('\n')
      .slice(0, at + 1)
      .join('\n')}\n`,
  );
  await resume(project);
  expect(received).toHaveLength(1);
  const finished = project.journal('s').filter(entry => entry.kind === 'hook.finished');
  expect(finished).toMatchObject([{ result: { outcome: { kind: 'replied', status: 503 } } }]);
});

test('a message of an iteration that was over long before goes on too', async () => {
  const { url, received } = await receiver((response, at) =>
    response.writeHead(at === 0 ? 503 : 200, at === 0 ? { 'retry-after': '2' } : {}).end(),
  );
  const project = projectWith(
    { 'iteration.completed': [{ type: 'webhook', url, retries: 1, when: 'ITERATION == 1', await: false }] },
    { 2: 'test -e ~/again || { touch ~/again; sleep 300; }' },
  );
  const started = begin(project, '--max-iterations', '2');
  await eventually(() => project.lines('~/turns')[0] === '2' && triesIn(project) === 1);
  started.process.kill('SIGKILL');
  await started.ended;
  const before = received.length;
  await resume(project);
  expect([before, received.length]).toEqual([1, 2]);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
