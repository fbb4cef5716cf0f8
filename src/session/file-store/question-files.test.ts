import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approvalsFolder } from './question-files.ts';

test('approvals live in the state folder that the environment names', () => {
  expect(approvalsFolder({ HOME: '/home/ada' })).toBe('/home/ada/.local/state/hookloop/approvals');
  expect(approvalsFolder({ HOME: '/home/ada', XDG_STATE_HOME: '/state' })).toBe('/state/hookloop/approvals');
  expect(approvalsFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/hookloop/approvals');
});

test('who asks without HOME and who answers with it meet in the user’s home', () => {
  const home = homedir();
  expect(approvalsFolder({})).toBe(join(home, '.local/state/hookloop/approvals'));
  expect(approvalsFolder({})).toBe(approvalsFolder({ HOME: home }));
});

test('a home that is no absolute path is no place', () => {
  expect(approvalsFolder({ HOME: 'somewhere' })).toBeUndefined();
});
