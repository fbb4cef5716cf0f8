import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { offerTools } from '../../app/session-parts.ts';
import type { AnswerControl } from '../../model/control.ts';
import { bundleProgram, eventually, temporaryFolder } from '../../platform/fixtures/programs.ts';
import { serve, untilAborted } from '../../session/control/fixtures/session.ts';

const program = await bundleProgram(new URL('fixtures/program.ts', import.meta.url), 'cjs');

type Tools = { client: Client; pid: number };

/** The official client and our server, over real pipes. */
async function connectTo(sessionFolder: string, env: Record<string, string> = {}): Promise<Tools> {
  const { command, args, env: own } = offerTools(sessionFolder, program);
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...own, ...env } });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid! };
}

async function withTools(answer?: AnswerControl, env?: Record<string, string>) {
  const served = await serve(answer);
  return { ...served, ...(await connectTo(served.sessionFolder, env)) };
}

test('lists the seven tools with their arguments and what a model needs to know', async () => {
  const { client } = await withTools();
  expect(client.getServerVersion()).toMatchObject({ name: 'hookloop' });
  expect(client.getInstructions()).toContain('finish');
  const { tools } = await client.listTools();
  const shapes = tools.map(({ name, inputSchema }) => ({
    name,
    takes: Object.keys(inputSchema.properties ?? {}),
    needs: inputSchema.required,
  }));
  expect(shapes).toEqual([
    { name: 'task_add', takes: ['content'], needs: ['content'] },
    { name: 'task_list', takes: [], needs: [] },
    { name: 'task_start', takes: ['id'], needs: ['id'] },
    { name: 'task_done', takes: ['id', 'summary'], needs: ['id'] },
    { name: 'record_score', takes: ['score', 'target'], needs: ['score'] },
    { name: 'request_approval', takes: ['question', 'title', 'files'], needs: ['question'] },
    { name: 'finish', takes: ['decision', 'reason', 'summary'], needs: ['decision'] },
  ]);
  for (const { description, inputSchema } of tools) {
    expect(description!.length).toBeGreaterThan(60);
    for (const [name, field] of Object.entries(inputSchema.properties ?? {}))
      expect((field as { description: string }).description).not.toBe(name);
  }
  const decision = tools.at(-1)!.inputSchema.properties!['decision'];
  expect(decision).toMatchObject({ type: 'string', enum: ['continue', 'stop', 'error'] });
});

describe('a call', () => {
  const tasks = [
    { id: 'c0123456789', content: 'from the file', status: 'done' },
    { id: 'T1', content: 'found on the way', status: 'open' },
  ];
  const values: Record<string, unknown> = {
    'task.add': { id: 'T2' },
    'task.list': tasks,
    approval: { approved: false, message: 'not on a Friday', by: 'on the approval page', at: 'then' },
  };
  let tools: Awaited<ReturnType<typeof serve>> & Tools;

  test.each([
    [
      'task_add',
      { content: 'write docs' },
      { method: 'task.add', content: 'write docs' },
      'Added as T2: write docs',
      { id: 'T2' },
    ],
    [
      'task_list',
      {},
      { method: 'task.list' },
      'c0123456789 [done] from the file\nT1 [open] found on the way',
      { tasks },
    ],
    ['task_start', { id: 'T1' }, { method: 'task.start', id: 'T1' }, 'T1 is started.', { id: 'T1', status: 'started' }],
    [
      'task_done',
      { id: 'T1', summary: 's' },
      { method: 'task.done', id: 'T1', summary: 's' },
      'T1 is done.',
      { id: 'T1', status: 'done' },
    ],
    [
      'record_score',
      { score: 7.5, target: 9 },
      { method: 'score', score: 7.5, target: 9 },
      'Recorded 7.5 of 9.',
      { score: 7.5, target: 9 },
    ],
    [
      'request_approval',
      { question: 'Deploy?', title: null, files: ['plan.md'] },
      { method: 'approval', question: 'Deploy?', files: ['plan.md'] },
      'Not approved: do not do it. They said: not on a Friday',
      { approved: false, message: 'not on a Friday', by: 'on the approval page', at: 'then' },
    ],
    [
      'finish',
      { decision: 'stop', reason: 'all done' },
      { method: 'finish', decision: 'stop', reason: 'all done' },
      'Recorded: stop. You may end your turn now.',
      { decision: 'stop' },
    ],
  ])('of %s reaches the session and comes back as text and data', async (name, args, request, text, data) => {
    tools = await withTools(async ({ method }) => ({ kind: 'ok', value: values[method] }));
    const result = await tools.client.callTool({ name, arguments: args });
    expect(tools.asked.map(({ request }) => request)).toEqual([request]);
    expect(result.isError).not.toBe(true);
    expect(result.content).toEqual([{ type: 'text', text }]);
    expect(result.structuredContent).toEqual(data);
  });

  test('that hooks refuse is an error whose text is their reason', async () => {
    const { client } = await withTools(async () => ({ kind: 'refused', reason: 'npm test: exit 1\n2 tests fail' }));
    const result = await client.callTool({ name: 'task_done', arguments: { id: 'T1' } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'npm test: exit 1\n2 tests fail' }],
    });
  });

  test('with wrong arguments says which, and asks nothing', async () => {
    const { client, asked } = await withTools();
    const textOf = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as { isError: boolean; content: { text: string }[] };
    const results = [
      await textOf('task_done', {}),
      await textOf('record_score', { score: 'high' }),
      await textOf('finish', { decision: 'maybe' }),
      await textOf('task_add', { content: 'a', text: 'b' }),
    ];
    expect(results.map(({ isError, content }) => [isError, content[0]!.text])).toEqual([
      [true, 'task_done: id is missing'],
      [true, 'record_score: score is a number, not "high"'],
      [true, 'finish: decision is one of continue, stop, error, not "maybe"'],
      [true, 'task_add: unknown field "text": known: content'],
    ]);
    expect(asked).toEqual([]);
  });

  test('when the session does not run says so, and works again once it does', async () => {
    const sessionFolder = join(temporaryFolder(), 'session');
    const { client } = await connectTo(sessionFolder);
    const before = await client.callTool({ name: 'task_list', arguments: {} });
    expect(before).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('is not running') }] });
    await serve(async () => ({ kind: 'ok', value: [] }), { sessionFolder });
    const after = await client.callTool({ name: 'task_list', arguments: {} });
    expect(after.content).toEqual([{ type: 'text', text: 'There are no tasks.' }]);
  });

  test('that the client cancels is aborted in the session', async () => {
    const { client, asked } = await withTools(untilAborted);
    const controller = new AbortController();
    const call = client.callTool({ name: 'task_list', arguments: {} }, { signal: controller.signal });
    call.catch(() => {});
    await eventually(() => asked.length === 1);
    controller.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => asked[0]!.signal.aborted);
  });

  test('that takes long tells a client that listens that it is still at work', async () => {
    let answerNow = (): void => {};
    const answer: AnswerControl = () =>
      new Promise(resolve => {
        answerNow = () => resolve({ kind: 'ok', value: { approved: true } });
      });
    const { client } = await withTools(answer, { BEAT_MS: '20' });
    let beats = 0;
    const call = client.callTool(
      { name: 'request_approval', arguments: { question: 'Go?' } },
      {
        onprogress: () => {
          beats += 1;
        },
      },
    );
    await eventually(() => beats >= 2);
    answerNow();
    expect(await call).toMatchObject({ content: [{ text: 'Approved.' }] });
  });
});
