import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { serveControl } from '../control/serve.ts';
import { keepSitting } from '../hosts/memory/sittings.ts';
import { answerOfSession } from './hook-session.ts';

const folder = temporaryFolder('sittings');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const callOf = (conversation: string) => ({
  agent: 'claude',
  event: 'PreToolUse',
  input: JSON.stringify({ session_id: conversation, tool_name: 'Bash' }),
});
const answer = { stdout: 'of the session', stderr: '', exitCode: 0 };

/** A session that answers everything so, and a memory. */
async function sessionAndMemory() {
  const sessionFolder = mkdtempSync(join(folder, 's-'));
  const control = await serveControl({
    sessionFolder,
    env: { XDG_RUNTIME_DIR: sessionFolder, HOME: sessionFolder },
    answer: async () => ({ kind: 'ok', value: answer }),
  });
  if (control.kind === 'failed') throw new Error(control.reason);
  onTestFinished(control.close);
  return { session: sessionFolder, memory: mkdtempSync(join(folder, 'm-')), close: control.close };
}

test('a call without an environment is answered by the session that its conversation works for', async () => {
  const { session, memory } = await sessionAndMemory();
  keepSitting(memory, { conversation: 'a', session });
  expect(await answerOfSession({}, memory, callOf('a'))).toEqual(answer);
  expect(await answerOfSession({}, memory, callOf('b'))).toBeUndefined();
});

test('the environment says it better than what was remembered', async () => {
  const { session, memory } = await sessionAndMemory();
  keepSitting(memory, { conversation: 'a', session: '/nowhere' });
  expect(await answerOfSession({ HOOKLOOP_SESSION_DIR: session }, memory, callOf('a'))).toEqual(answer);
});

test('a session that has ended answers nothing, and where nothing is remembered nobody does', async () => {
  const { session, memory, close } = await sessionAndMemory();
  expect(await answerOfSession({}, memory, callOf('a'))).toBeUndefined();
  keepSitting(memory, { conversation: 'a', session });
  await close();
  expect(await answerOfSession({}, memory, callOf('a'))).toBeUndefined();
});
