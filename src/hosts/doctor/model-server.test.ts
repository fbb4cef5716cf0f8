import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { anthropicMessages, geminiGenerate, openaiChat, openaiResponses } from './model-protocols.ts';
import { type ModelProtocol, type ModelServer, startModel } from './model-server.ts';

let model: ModelServer | undefined;
afterEach(() => model?.close());

const ask = async (path: string, body: object): Promise<string> => {
  const response = await fetch(`${model!.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return `${response.status} ${await response.text()}`;
};

const protocols: readonly { name: string; protocol: ModelProtocol; path: string; said: string; body: object }[] = [
  {
    name: 'anthropic messages',
    protocol: anthropicMessages,
    path: '/v1/messages',
    said: 'messages',
    body: { tools: [{ name: 'Bash' }], stream: true },
  },
  {
    name: 'openai responses',
    protocol: openaiResponses,
    path: '/v1/responses',
    said: 'input',
    body: { tools: [{ name: 'Bash' }], stream: true },
  },
  {
    name: 'openai chat',
    protocol: openaiChat,
    path: '/v1/chat/completions',
    said: 'messages',
    body: { tools: [{ name: 'Bash' }], stream: true },
  },
  {
    name: 'gemini generate',
    protocol: geminiGenerate,
    path: '/v1beta/models/any:streamGenerateContent',
    said: 'contents',
    body: { tools: [{ functionDeclarations: [{ name: 'Bash' }] }] },
  },
];

describe.each(protocols)('a scripted model behind $name', ({ protocol, path, said, body }) => {
  test('answers with its turns in order, then says that it is done', async () => {
    model = await startModel(protocol);
    model.script([{ text: 'first', tools: [{ name: 'Bash', args: { command: 'ls' } }] }, { text: 'second' }]);
    const answers = [
      await ask(path, { ...body, [said]: ['one'] }),
      await ask(path, { ...body, [said]: ['two'] }),
      await ask(path, { ...body, [said]: ['three'] }),
    ];
    expect(answers[0]).toMatch(/^200 [\s\S]*first[\s\S]*Bash/);
    expect(answers[1]).toContain('second');
    expect(answers[2]).toContain('done');
    expect(model.heard()).toEqual(['["one"]', '["two"]', '["three"]']);
  });

  test('keeps its turns for requests that offer tools', async () => {
    model = await startModel(protocol);
    model.script([{ text: 'first' }]);
    expect(await ask(path, { [said]: ['a title?'], stream: true })).not.toContain('first');
    expect(await ask(path, { ...body, [said]: ['go'] })).toContain('first');
    expect(model.requests.map(({ isTurn }) => isTurn)).toEqual([false, true]);
  });

  test('fails where it is told to, and knows no other routes', async () => {
    model = await startModel(protocol);
    model.script([{ fails: true }]);
    expect(await ask(path, { ...body, [said]: [] })).toMatch(/^400 /);
    expect(await ask('/elsewhere', {})).toMatch(/^404 /);
  });
});

test('a request that is cut off in the middle does not end the model', async () => {
  model = await startModel(openaiChat);
  const { port } = new URL(model.url);
  await new Promise<void>(resolve => {
    const half = request({ port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST' });
    half.on('error', () => {}).on('close', resolve);
    half.setHeader('content-length', 1000);
    half.write('{', () => half.destroy());
  });
  expect(await ask('/v1/models', {})).toMatch(/^200 /);
});
