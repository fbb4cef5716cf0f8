import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { notice, story, summary } from './fixtures/notices.ts';
import { buildDriver, openTerminal } from './fixtures/terminal.ts';

test('look', async () => {
  mkdirSync('/tmp/look', { recursive: true });
  const program = await buildDriver('/tmp/look');
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [40, 20],
    [80, 8],
  ] as const) {
    const t = await openTerminal(program, { columns, rows, flags: 'answers asks' });
    for (const n of story) t.send('notice', n);
    t.send('notice', notice(34, { type: 'agent.tool', id: 'x', title: 'Edit src/parser.test.ts', status: 'running' }));
    t.send(
      'notice',
      notice(34, {
        type: 'hook.started',
        hook: 'q',
        name: 'npm test',
        event: 'task.completing',
        wait: true,
        attempt: 1,
      }),
    );
    t.send(
      'notice',
      notice(34, { type: 'hook.started', hook: 'w', name: 'lint.sh', event: 'file.edited', wait: true, attempt: 2 }),
    );
    await delay(1500);
    console.log(`=== ${columns}x${rows}\n` + t.screen());
    t.send('notice', notice(35, { type: 'agent.message', text: 'Now I add the tests. '.repeat(10) }));
    t.send(
      'notice',
      notice(36, {
        type: 'approval.requested',
        approval: 'ap-12',
        title: 'Deploy',
        question: 'Deploy build 日本 17 to staging before the tests run?',
      }),
    );
    t.send('ask', 'May the agent call Bash curl example.org?');
    await delay(500);
    console.log(`=== ${columns}x${rows}\n` + t.screen());
    t.press('a');
    t.press('y');
    await delay(300);
    t.send('notice', notice(36, { type: 'session.summary', ...summary }));
    t.send('close');
    t.send('exit', 0);
    await delay(400);
    console.log(`=== ${columns}x${rows}\n` + t.screen('with-history'), t.told, t.ask('cursor_flag'));
    t.close();
  }
}, 60000);
