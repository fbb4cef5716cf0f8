import { expect, test } from 'vitest';
import { createEngineProject } from './engine-project.ts';

const project = createEngineProject();
const settings = (event: string, hook: object, more: object = {}): void =>
  project.write('.claude/settings.json', JSON.stringify({ ...more, hooks: { [event]: [{ hooks: [hook] }] } }));
const call = { name: 'tool.calling', tool: 'Bash', input: { command: 'ls' } } as const;

test('a PowerShell hook says so where there is no PowerShell, and refuses with onFailure: block', async () => {
  const hook = { type: 'command', command: 'exit 0', shell: 'powershell', onFailure: 'block' };
  settings('PreToolUse', hook);
  const { decision } = await project.engineHere({ env: { PATH: '/nowhere' } }).fire(call);
  expect(decision).toMatchObject({ kind: 'block', reason: expect.stringContaining('not found in PATH: pwsh') });
});

test('interrupt in the answer to PermissionRequest ends the session', async () => {
  const answer = {
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: 'enough', interrupt: true },
    },
  };
  settings('PermissionRequest', { type: 'command', command: `echo '${JSON.stringify(answer)}'` });
  const { decision } = await project.fire({ ...call, name: 'permission.requesting' });
  expect(decision).toMatchObject({ kind: 'abort', reason: 'enough' });
});

test('an http hook whose url is not listed is sent nowhere, and refuses with onFailure: block', async () => {
  const hook = { type: 'http', url: 'http://127.0.0.1:9/x', onFailure: 'block' };
  settings('PreToolUse', hook, { allowedHttpHookUrls: ['https://good.example/*'] });
  const { decision } = await project.fire(call);
  expect(decision).toMatchObject({ kind: 'block', reason: expect.stringContaining('allowedHttpHookUrls') });
});
