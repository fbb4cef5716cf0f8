import { inputOf, isOwnQuestion, listIn, type ModelWire, sendEvents, sendJson } from './server.ts';

/** `POST /v1/chat/completions`, as Qwen Code and opencode ask. */
export const openaiChat: ModelWire = {
  plainAnswer: path =>
    path.endsWith('/models') ? { object: 'list', data: [{ id: 'scripted', object: 'model' }] } : undefined,
  isForModel: path => path.endsWith('/chat/completions'),
  isTurn: body => listIn(body, 'tools').length > 0 && !isOwnQuestion(listIn(body, 'messages').at(-1)),
  conversationOf: body => body['messages'],
  answer({ text, tools = [] }, { body, number }, response) {
    const calls = tools.map((tool, index) => ({
      index,
      id: `call_${number}_${index}`,
      type: 'function',
      function: { name: tool.name, arguments: JSON.stringify(inputOf(tool)) },
    }));
    const finish = calls.length > 0 ? 'tool_calls' : 'stop';
    const about = { id: `chatcmpl-${number}`, created: 1, model: body['model'] };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (body['stream'] !== true) {
      const message = { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
      const choices = [{ index: 0, finish_reason: finish, message }];
      return sendJson(response, { ...about, object: 'chat.completion', usage, choices });
    }
    const chunk = (delta: unknown, finish_reason: string | null = null) => ({
      ...about,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    });
    sendEvents(
      response,
      [
        chunk({ role: 'assistant', content: text ?? '' }),
        ...calls.map(call => chunk({ tool_calls: [call] })),
        chunk({}, finish),
        { ...about, object: 'chat.completion.chunk', choices: [], usage },
        '[DONE]',
      ].map(data => ({ data })),
    );
  },
};
