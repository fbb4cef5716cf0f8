import { expect, test } from 'vitest';
import { createColours } from '../print/paint.ts';
import { notice, story, summary } from './fixtures/notices.ts';
import { createQuietWatcher } from './quiet.ts';

function createQuiet() {
  let text = '';
  const watcher = createQuietWatcher({
    err: line => (text += line),
    mask: line => line,
    colours: createColours(false),
    columns: undefined,
  });
  return { ...watcher, text: () => text };
}

test('a session that completes says nothing', () => {
  const quiet = createQuiet();
  for (const one of story) quiet.notice(one);
  quiet.remark({ level: 'info', text: 'hello' });
  quiet.notice(notice(99, { type: 'session.summary', ...summary }));
  expect(quiet.text()).toBe('');
});

test('what somebody has to do something about is said', () => {
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
hookloop: session demo waits for a person: Deploy?; answer with: hookloop approve ap-1
Session demo failed after 3 min 05 s
  Reason: npm test failed
Go on with: hookloop resume demo
`);
});
