import { expect, test } from 'vitest';
import type { HookDefinition } from '../../model/index.ts';
import { hookTable } from './list.ts';
import { createColours } from './paint.ts';
import { textWidth } from './text.ts';

const places = { root: '/p', repo: '/p', cwd: '/p', home: '/home/me', config: '/home/me/.config' };

const hookOf = (command: string, given: Partial<HookDefinition> = {}): HookDefinition => ({
  id: 'id',
  event: 'iteration.starting',
  spelling: 'pre_iteration',
  name: command,
  place: { label: 'iteratr', from: 'file' },
  match: {},
  action: { kind: 'shell', command, run: { via: 'sh', script: command }, cwd: 'root' },
  wait: true,
  timeoutMs: 30_000,
  onFailure: 'continue',
  onTimeout: 'continue',
  feedback: 'next-prompt',
  source: { dialect: 'iteratr', scope: 'project', file: '.iteratr.hooks.yml', line: 4 },
  ...given,
});

const table = (hooks: readonly HookDefinition[], columns: number, color = false, mask = (text: string) => text) =>
  hookTable(hooks, { places, mask, colours: createColours(color), columns });

test('the name that its author has given to a hook stands before what it does', () => {
  const deny = { kind: 'deny', text: 'No.' } as const;
  const hooks = [
    hookOf('npm run lint', { name: 'lint' }),
    hookOf('npm test'),
    hookOf('cd x\nnpm test', { name: 'cd x ...' }),
    hookOf('', { action: deny, name: 'no pushes' }),
    hookOf('', { action: deny, name: 'deny: No.' }),
  ];
  const actions = table(hooks, 100)
    .split('\n')
    .flatMap(line => /^ {2}\.iteratr\.hooks\.yml:4 {2}(.*)$/.exec(line)?.[1] ?? []);
  expect(actions).toEqual(['"lint" npm run lint', 'npm test', 'cd x npm test', '"no pushes" deny: No.', 'deny: No.']);
});

test('no line is wider than the terminal', () => {
  const hooks = [
    hookOf('echo 完成任务 🎉 '.repeat(20)),
    hookOf('x', {
      source: { dialect: 'claude', scope: 'user', file: `/home/me/${'deep/'.repeat(20)}settings.json`, line: 120 },
      match: { tool: { kind: 'matcher', matcher: 'Edit|Write' }, when: "STAGE == 'plan' && ITERATION > 3 ".repeat(5) },
      retry: { attempts: 3, delayMs: 1 },
      onTimeout: 'abort',
      unavailable: 'a reason that takes quite a few words to tell, more than fit on one line of a small terminal',
    }),
  ];
  for (const columns of [60, 80, 100, 140, 200])
    for (const line of table(hooks, columns).split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
});

test('a condition that is too long for one line is told on several', () => {
  const when = "STAGE == 'plan' && ITERATION % 10 == 0 && LAST_DECISION != 'stop' && LAST_HOOK_STATUS == 'success'";
  const text = table([hookOf('x', { match: { when } })], 80);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`only when ${when}`);
});

test('columns stay in line behind wide characters', () => {
  const source = { dialect: 'iteratr', scope: 'project', file: '日本/フック.yml', line: 1 } as const;
  const lines = table([hookOf('FIRST', { source }), hookOf('SECOND')], 100).split('\n');
  const columnOf = (word: string): number => {
    const line = lines.find(one => one.includes(word))!;
    return textWidth(line.slice(0, line.indexOf(word)));
  };
  expect(columnOf('FIRST')).toBe(columnOf('SECOND'));
});

test('a secret is masked before its command is cut', () => {
  const text = table([hookOf(`${'x'.repeat(40)} secret-value`)], 80, false, one =>
    one.replaceAll('secret-value', '***'),
  );
  expect(text).not.toContain('sec');
});

test('colours are there only where they are wanted', () => {
  expect(table([hookOf('x')], 80)).not.toContain('\x1b');
  expect(table([hookOf('x')], 80, true)).toContain('\x1b[1miteration.starting\x1b[22m');
});

test('a command cannot steer the terminal', () => {
  expect(table([hookOf('echo \x1b]0;title\x07\nrm')], 80)).toContain('echo \ufffd]0;title\ufffd rm');
});
