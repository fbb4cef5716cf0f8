import { describe, expect, test } from 'vitest';
import type { HookDefinition } from '../../model/index.ts';
import { actionWords, failureWords, hostOf, matchWords, timeoutWords } from './hooks.ts';

const shell: HookDefinition['action'] = { kind: 'shell', command: 'x', run: { via: 'sh', script: 'x' }, cwd: 'root' };

const hookOf = (dialect: HookDefinition['source']['dialect'], given: Partial<HookDefinition> = {}): HookDefinition => ({
  id: 'id',
  event: 'tool.calling',
  spelling: 'tool.calling',
  name: 'x',
  place: { label: dialect, from: 'file' },
  match: {},
  action: shell,
  wait: true,
  timeoutMs: 30_000,
  onFailure: 'continue',
  onTimeout: 'continue',
  feedback: 'none',
  source: { dialect, scope: 'project', file: 'file', line: 1 },
  ...given,
});

describe('a timeout', () => {
  test.each([
    [null, 'none'],
    [300, '300ms'],
    [1500, '1.5s'],
    [30_000, '30s'],
    [90_000, '90s'],
    [600_000, '10m'],
    [3_600_000, '1h'],
    [5_400_000, '1h30m'],
    [86_400_000, '24h'],
  ])('of %j ms is %s', (timeoutMs, words) => expect(timeoutWords(timeoutMs)).toBe(words));
});

describe('what a failure means', () => {
  const block: Partial<HookDefinition> = { onFailure: 'block', onTimeout: 'block' };
  test.each<[string, HookDefinition]>([
    ['does not gate', hookOf('iteratr')],
    ['go on', hookOf('iteratr', { event: 'iteration.completed' })],
    ['agent fixes it, 3x', hookOf('sauna', { onFailure: 'revise', onTimeout: 'revise', maxFixes: 3 })],
    ['blocks', hookOf('nyzhi', block)],
    ['agent fixes it', hookOf('nyzhi', { ...block, event: 'file.edited' })],
    ['go on; exit 2: blocks', hookOf('nyzhi', { event: 'task.completing' })],
    ['go on; exit 2: blocks', hookOf('claude', { spelling: 'PreToolUse' })],
    ['blocks', hookOf('claude', { ...block, spelling: 'PreToolUse' })],
    ['session ends', hookOf('native', { onFailure: 'abort', onTimeout: 'abort' })],
    ['go on; timeout: session ends', hookOf('native', { onTimeout: 'abort' })],
    ['does not gate', hookOf('native', { onTimeout: 'abort', timeoutMs: null })],
    ['2 retries, then go on', hookOf('pipelines', { retry: { attempts: 3, delayMs: 5000 } })],
    ['not awaited', hookOf('pipelines', { wait: false })],
    ['go on; no: blocks', hookOf('nyzhi', { action: { kind: 'prompt', prompt: 'Fine?' } })],
  ])('is told as "%s"', (words, hook) => expect(failureWords(hook)).toBe(words));
});

test('of an address only scheme and host are told', () => {
  const urls = ['https://user:pw@hooks.example.com:8443/T0/B0?x=1', '${SLACK_WEBHOOK}/abc', 'secret-without-scheme'];
  expect(urls.map(hostOf)).toEqual(['https://hooks.example.com:8443', '${SLACK_WEBHOOK}', '***']);
});

test('each kind of action is told in a few words', () => {
  const spawn = { kind: 'spawn', pipeline: 'review', inputs: {}, inheritHooks: false, passEnv: [] } as const;
  const script = {
    kind: 'shell',
    command: 'file',
    run: { via: 'exec', file: '/p/file', args: [] },
    cwd: 'caller',
  } as const;
  const actions = [shell, script, spawn, { kind: 'agent', prompt: 'Done?' } as const];
  expect(actions.map(action => actionWords(hookOf('native', { action, name: 'run.sh' })))).toEqual([
    'x',
    'run.sh',
    'run pipeline review',
    'ask an agent: Done?',
  ]);
});

test('everything that must match is named', () => {
  const match = {
    role: 'builder',
    tool: { kind: 'names', names: ['Bash', 'git_*'] },
    files: ['*.ts', 'src/'],
    field: { name: 'source', matcher: 'startup' },
    when: 'ITERATION > 3',
  } as const;
  const source = { dialect: 'pipelines', scope: 'stage', file: 'loops/a.yaml', line: 1 } as const;
  expect(matchWords(hookOf('pipelines', { match, source }))).toEqual([
    'in its stage',
    'builder stages',
    'tool Bash, git_*',
    'file *.ts, src/',
    'source startup',
    'when ITERATION > 3',
  ]);
});
