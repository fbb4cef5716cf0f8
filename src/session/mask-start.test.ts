import { expect, test } from 'vitest';
import { createMask } from '../hooks/secrets/create-mask.ts';
import type { Action } from '../model/index.ts';
import { maskStart } from './mask-start.ts';
import type { Start } from './store.ts';

const mask = createMask({ API_TOKEN: 'known-secret' });

/** What is told of an action of a stage's hook. */
const told = (action: Partial<Action> & { kind: string }): unknown => {
  const start = { plan: { stages: [{ id: 'a', hooks: [{ action }] }] }, settings: { agent: 'x' } } as unknown as Start;
  return maskStart(start, mask).plan.stages[0]!.hooks[0]!.action;
};

test.each([
  ['https://hooks.example', 'https://hooks.example'],
  ['https://hooks.example/services/T0/B0/x', 'https://hooks.example/***'],
  ['https://hooks.example?x=y', 'https://hooks.example/***'],
  ['https://hooks.example#x', 'https://hooks.example/***'],
  ['https://bob:pw@hooks.example', 'https://hooks.example/***'],
  ['https://bob:p@w@hooks.example:8443/x', 'https://hooks.example:8443/***'],
  ['HTTP://[::1]:8080/x', 'HTTP://[::1]:8080/***'],
  ['https://${TEAM}.example:${PORT}/${TOKEN}', 'https://${TEAM}.example:${PORT}/***'],
  ['https://${USER}:${PW}@hooks.example', 'https://hooks.example/***'],
  ['${SLACK_URL}', '${SLACK_URL}'],
  ['${SLACK_URL}/literal', '***'],
  ['https:bob:pw@hooks.example', '***'],
  ['https:\\\\bob:pw@hooks.example', '***'],
  ['https://bob:p/w@hooks.example', '***'],
  ['https://bob:pw\\@hooks.example/x', '***'],
  ['no address at all', '***'],
  ['', '***'],
])('of the address %s it is told %s', (url, expected) => {
  expect(told({ kind: 'webhook', url, callbackBaseUrl: url })).toMatchObject({
    url: expected,
    callbackBaseUrl: expected,
  });
});

test('of a webhook nothing is told that its receiver gets', () => {
  const action = { kind: 'webhook', method: 'POST', retries: 2, title: 'Go?' } as const;
  const secret = { headers: { Authorization: 'Bearer x', 'X-Team': 'a' }, body: { a: [1, 'x'] }, secret: 'whsec_x' };
  expect(told({ ...action, ...secret })).toEqual({
    ...action,
    headers: { Authorization: '***', 'X-Team': '***' },
    body: '***',
    secret: '***',
  });
  expect(told({ ...action, body: null })).toEqual({ ...action, body: null });
});

test('inputs of a child are told but for those whose name looks secret', () => {
  const inputs = {
    goal: 'ship it',
    apiToken: 'abcdefgh',
    nested: [{ password: 'abcdefgh', n: 1 }],
    secrets: ['x', 'yyy'],
  };
  expect(told({ kind: 'spawn', pipeline: 'review', inputs })).toEqual({
    kind: 'spawn',
    pipeline: 'review',
    inputs: { goal: 'ship it', apiToken: '***', nested: [{ password: '***', n: 1 }], secrets: '***' },
  });
});

test('known secrets, and what addresses carry, are hidden everywhere but in the names that things are found by', () => {
  const stage = {
    id: 'known-secret',
    prompt: 'use known-secret at https://a.example/?q=1',
    inputs: [{ from: 'known-secret' }],
  };
  const command = 'curl https://u:p@a.example/?q=1';
  const hooks = [{ id: 'x', action: { kind: 'shell', command, run: { via: 'sh', script: command } } }];
  const settings = { agent: 'command:x known-secret', root: '/known-secret', tasksFile: '/known-secret/t.md' };
  const start = { plan: { name: 'p', stages: [stage], hooks }, settings } as unknown as Start;
  expect(maskStart(start, mask)).toEqual({
    plan: {
      name: 'p',
      stages: [{ ...stage, prompt: 'use *** at https://a.example/?***' }],
      hooks: [
        {
          id: 'x',
          action: {
            kind: 'shell',
            command: 'curl https://***@a.example/?***',
            run: { via: 'sh', script: 'curl https://***@a.example/?***' },
          },
        },
      ],
    },
    settings: { ...settings, agent: 'command:x ***' },
  });
});
