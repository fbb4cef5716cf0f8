import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { keepConversation } from '../hosts/sessions/session-memory.ts';
import { serveControl } from '../session/control/serve-control.ts';
import { answerInSession } from './answer-in-session.ts';

const folder = temporaryFolder('sittings');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const callOf = (conversation: string) => ({
  agent: 'claude' as const,
  event: 'PreToolUse',
  input: JSON.stringify({ session_id: conversation, tool_name: 'Bash' }),
});
const answer = { stdout: 'of the session', stderr: '', exitCode: 0 };

/** A session that answers everything so, and a memory. */
async function sessionAndMemory() {
  const project = mkdtempSync(join(folder, 'p-'));
  const sessionFolder = join(project, '.hookloop/sessions/s');
  mkdirSync(sessionFolder, { recursive: true });
  const control = await serveControl({
    sessionFolder,
    env: { XDG_RUNTIME_DIR: project, HOME: project },
    answer: async () => ({ kind: 'ok', value: answer }),
  });
  if (control.kind === 'failed') throw new Error(control.reason);
  onTestFinished(control.close);
  const io = { env: {}, cwd: project };
  return { io, session: sessionFolder, memory: mkdtempSync(join(folder, 'm-')), close: control.close };
}

test('a call without an environment is answered by the session that its conversation works for', async () => {
  const { io, session, memory } = await sessionAndMemory();
  keepConversation(memory, { conversation: 'a', session });
  expect(await answerInSession(io, memory, callOf('a'))).toEqual(answer);
  expect(await answerInSession(io, memory, callOf('b'))).toBeUndefined();
});

test('a session of another project has no say', async () => {
  const { io, session, memory } = await sessionAndMemory();
  keepConversation(memory, { conversation: 'a', session });
  expect(await answerInSession({ ...io, cwd: join(io.cwd, 'inside') }, memory, callOf('a'))).toBeUndefined();
});

test('a session that the environment names has a say about its own project and what lies in it, and no other', async () => {
  const [{ io, session, memory }, other] = [await sessionAndMemory(), await sessionAndMemory()];
  const env = { HOOKLOOP_SESSION_DIR: session };
  const inside = join(io.cwd, 'inside');
  mkdirSync(inside);
  const asked = (cwd: string, more: Record<string, string> = {}) =>
    answerInSession({ env: { ...env, ...more }, cwd }, memory, callOf('a'));
  expect([await asked(io.cwd), await asked(inside)]).toEqual([answer, answer]);
  expect([await asked(other.io.cwd), await asked(folder), await asked(`${io.cwd}-2`)]).toEqual(
    Array(3).fill(undefined),
  );
  // The agent's current folder may be anywhere.
  expect(await asked(other.io.cwd, { CLAUDE_PROJECT_DIR: io.cwd })).toEqual(answer);
  expect(await asked(io.cwd, { CLAUDE_PROJECT_DIR: other.io.cwd })).toBeUndefined();
});

test('the environment says it better than what was remembered', async () => {
  const { io, session, memory } = await sessionAndMemory();
  keepConversation(memory, { conversation: 'a', session: '/nowhere' });
  expect(await answerInSession({ ...io, env: { HOOKLOOP_SESSION_DIR: session } }, memory, callOf('a'))).toEqual(answer);
});

test('a session that has ended answers nothing, and where nothing is remembered no one does', async () => {
  const { io, session, memory, close } = await sessionAndMemory();
  expect(await answerInSession(io, memory, callOf('a'))).toBeUndefined();
  keepConversation(memory, { conversation: 'a', session });
  await close();
  expect(await answerInSession(io, memory, callOf('a'))).toBeUndefined();
});
