import { expect, test } from 'vitest';
import { createColours } from '../print/paint.ts';
import { notice, passed, refused, story, summary } from './fixtures/notices.ts';
import { createLinesWatcher, createQuietWatcher } from './plain-watchers.ts';

function createLines() {
  let text = '';
  const watcher = createLinesWatcher({
    err: line => (text += line),
    mask: line => line.replaceAll('hunter2', '***'),
    colours: createColours(false),
    columns: Number.POSITIVE_INFINITY,
  });
  return { ...watcher, text: () => text };
}

test('every thing that happens is a line with its time and place', () => {
  const lines = createLines();
  for (const one of story) lines.notice(one);
  lines.close();
  expect(lines.text()).toBe(`[00:00] session demo starts
[00:00] plan: stage starts
[00:00] plan 1: iteration starts
[00:00] plan 1: the prompt is ready
[00:05] plan 1: agent: I will split the work into three tasks.
[00:12] plan 1: agent: First the parser, then its tests.
[00:12] plan 1: the agent has ended its turn
[00:12] plan 1: iteration completed in 12 s, 1 file changed
[00:12] plan: stage completed in 12 s, next is build
[00:12] build: stage starts
[00:12] build 1: iteration starts
[00:12] build 1: task T1 starts: Write the parser
[00:13] build 1: hook guard.sh refused Bash rm -rf build: nothing outside tmp is deleted (tool.calling)
[00:15] build 1: tool Write src/parser.ts
[00:15] build 1: src/parser.ts edited
[00:15] build 1: hook lint.sh passed in 0.4 s, 2 lines for the agent (file.edited)
[00:20] build 1: the agent has ended its turn
[00:20] build 1: task T1 is checked
[00:23] build 1: hook npm test failed in 3.2 s: exit code 1; the agent fixes it (task.completing)
        | > vitest run
        |  FAIL  src/parser.test.ts > reads numbers
        | AssertionError: expected 1 to be 2
        |  ❯ src/parser.test.ts:12:20
        |  Test Files  1 failed (1)
        |       Tests  1 failed | 3 passed (4)
        |    Duration  412ms
        | npm error code 1
[00:24] build 1: tool Edit src/parser.ts
[00:30] build 1: task T1 is checked
[00:33] build 1: hook npm test passed in 3.0 s (task.completing)
[00:33] build 1: task T1 done: Write the parser
[00:33] build 1: iteration completed in 21 s, 2 files changed
[00:33] build 2: iteration starts
[00:33] build 2: task T2 starts: Add tests for the parser
`);
});

test('a call that the agent asks its own hooks about before the protocol tells of it is one call', () => {
  const lines = createLines();
  const call = (id: string, command: string): void => {
    lines.notice(notice(1, { type: 'tool.calling', tool: 'Bash', input: { command }, toolCallId: id }));
    for (const status of ['running', 'pending', 'failed'] as const)
      lines.notice(notice(2, { type: 'agent.tool', id, title: `Run ${command}`, status }));
    lines.notice(notice(2, { type: 'tool.failed', tool: 'Bash', input: { command }, toolCallId: id }));
  };
  call('call_1', 'cat missing');
  call('call_2', 'cat missing');
  expect(lines.text()).toBe(`[00:00] tool Bash cat missing
[00:01] tool Bash cat missing failed
[00:00] tool Bash cat missing
[00:01] tool Bash cat missing failed
`);
});

test('a hook is told of where it began, wherever the session is by then', () => {
  const lines = createLines();
  const hook = { hook: 'h', name: 'notify', event: 'iteration.completed', stage: 'build', maxIterations: 5 } as const;
  lines.notice(notice(0, { type: 'iteration.starting', stage: 'build', iteration: 2, maxIterations: 5 }));
  lines.notice(notice(1, { type: 'hook.started', ...hook, iteration: 1, wait: false, attempt: 2 }));
  lines.notice(notice(3, { type: 'hook.finished', ...hook, iteration: 1, result: refused('no') }));
  lines.close();
  expect(lines.text()).toBe(`[00:00] build 2: iteration starts
[00:01] build 1: hook notify runs again, attempt 2 (iteration.completed)
[00:03] build 1: hook notify refused iteration 1: no (iteration.completed)
`);
});

test('a hook that takes long is told of before it ends', async () => {
  const lines = createLines();
  const hook = { hook: 'h', name: 'npm test', event: 'task.completing' } as const;
  lines.notice(notice(0, { type: 'session.starting' }));
  lines.notice(notice(0, { type: 'hook.started', ...hook, hook: 'fast', name: 'fast', wait: true, attempt: 1 }));
  lines.notice(notice(0, { type: 'hook.finished', ...hook, hook: 'fast', name: 'fast', result: passed(1) }));
  lines.notice(notice(0, { type: 'hook.started', ...hook, wait: true, attempt: 1 }));
  await expect.poll(lines.text, { timeout: 10_000 }).toMatch(/is running/);
  // A timer of two seconds may be a fraction of a millisecond early.
  expect(lines.text().replace('[00:01]', '[00:02]')).toBe(
    '[00:00] session demo starts\n[00:00] hook fast passed in 0.0 s (task.completing)\n[00:02] hook npm test is running (task.completing)\n',
  );
  lines.close();
});

test('an approval says how to answer it', () => {
  const lines = createLines();
  lines.notice(notice(0, { type: 'approval.requested', approval: 'ap-1', title: 'Deploy', question: 'To staging?' }));
  expect(lines.text()).toBe(
    '[00:00] asks a person: Deploy: To staging?\n        | answer with: hookloop approve ap-1\n',
  );
});

test('an answer says who gave it, in which way, to what, and with which words', () => {
  const lines = createLines();
  const asked = { type: 'approval.answered', approval: 'ap-1', title: 'Deploy', question: 'To staging?' } as const;
  lines.notice(notice(0, { ...asked, action: 'approve', message: '', by: 'ana with hookloop approve' }));
  lines.notice(notice(0, { ...asked, action: 'reject', message: 'not\nyet', by: 'on the approval page' }));
  lines.notice(notice(0, { ...asked, action: 'reject', message: '' }));
  expect(lines.text()).toBe(
    `[00:00] approved by ana with hookloop approve: Deploy: To staging?
[00:00] rejected on the approval page: Deploy: To staging? (not yet)
[00:00] rejected: Deploy: To staging?
`,
  );
});

test('a task of a checklist goes by its text', () => {
  const lines = createLines();
  const task = { taskId: 'c4f26a39758', content: 'Write the parser' };
  lines.notice(notice(0, { type: 'task.starting', ...task }));
  lines.notice(
    notice(0, { type: 'hook.finished', hook: 'h', name: 'gate', event: 'task.completing', result: refused('no') }),
  );
  lines.notice(notice(0, { type: 'task.completed', ...task }));
  expect(lines.text()).toBe(`[00:00] task starts: Write the parser
[00:00] hook gate refused the task: no (task.completing)
[00:00] task done: Write the parser
`);
});

test('remarks are masked, safe to print, and say how bad it is', () => {
  const lines = createLines();
  lines.remark({ level: 'info', text: 'hello' });
  lines.remark({ level: 'warning', text: 'hunter2 \x1b[2J' });
  expect(lines.text()).toBe('[00:00] hello\n[00:00] warning: *** \ufffd[2J\n');
});

test('whatever an agent says, titles or asks cannot steer the terminal', () => {
  const lines = createLines();
  const hostile = 'a\x1b[2J\x9b31m\u202e\rb\x07';
  lines.notice(notice(0, { type: 'stage.starting', stage: hostile }));
  lines.notice(notice(0, { type: 'agent.message', text: `${hostile}\n` }));
  lines.notice(notice(0, { type: 'agent.tool', id: '1', title: hostile, status: 'running' }));
  lines.notice(notice(0, { type: 'tool.calling', tool: hostile, input: { command: hostile } }));
  lines.notice(notice(0, { type: 'task.starting', taskId: hostile, content: hostile }));
  lines.notice(notice(0, { type: 'approval.requested', approval: hostile, question: hostile }));
  const given = { approval: hostile, question: hostile, message: hostile, by: hostile };
  lines.notice(notice(0, { type: 'approval.answered', action: 'reject', ...given }));
  lines.notice(notice(0, { type: 'iteration.failed', error: hostile }));
  lines.notice(notice(0, { type: 'file.edited', file: hostile }));
  expect(lines.text().split('\n')).toHaveLength(12);
  expect(lines.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

function createQuiet() {
  let text = '';
  const watcher = createQuietWatcher({
    err: line => (text += line),
    mask: line => line,
    colours: createColours(false),
    columns: Number.POSITIVE_INFINITY,
  });
  return { ...watcher, text: () => text };
}

test('--quiet says nothing of a session that completes', () => {
  const quiet = createQuiet();
  for (const one of story) quiet.notice(one);
  quiet.remark({ level: 'info', text: 'hello' });
  quiet.notice(notice(99, { type: 'session.summary', ...summary }));
  expect(quiet.text()).toBe('');
});

test('--quiet says what someone has to do something about', () => {
  const quiet = createQuiet();
  quiet.remark({ level: 'warning', text: 'the disk is full' });
  quiet.notice(notice(0, { type: 'approval.requested', approval: 'ap-1', question: 'Deploy?' }));
  quiet.notice(
    notice(1, {
      type: 'session.summary',
      ...summary,
      status: 'failed',
      reason: 'npm test failed',
      resume: 'hookloop resume demo',
    }),
  );
  expect(quiet.text()).toBe(`hookloop: warning: the disk is full
hookloop: session demo asks a person: Deploy?; answer with: hookloop approve ap-1
Session demo failed after 3 min 05 s
  Reason: npm test failed
Continue with: hookloop resume demo
`);
});
