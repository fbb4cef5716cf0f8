import { inputOf, isOwnQuestion, listIn, type ModelWire, type ScriptedTurn, sendEvents, sendJson } from './server.ts';

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

/** `POST /v1/responses`, as Codex asks. */
export const openaiResponses: ModelWire = {
  plainAnswer: path => (path.endsWith('/models') ? { object: 'list', data: [], models: [] } : undefined),
  isForModel: path => path.endsWith('/responses'),
  isTurn: body => listIn(body, 'tools').length > 0,
  conversationOf: body => body['input'],
  answer(turn, { body, number }, response) {
    const output = itemsOf(turn, number);
    const whole = (status: string) => ({
      id: `resp_${number}`,
      object: 'response',
      created_at: 1,
      status,
      model: body['model'],
      output: status === 'completed' ? output : [],
      usage: status === 'completed' ? usage : null,
    });
    if (body['stream'] !== true) return sendJson(response, whole('completed'));
    const events = [
      { type: 'response.created', response: whole('in_progress') },
      ...output.flatMap(eventsOf),
      { type: 'response.completed', response: whole('completed') },
    ];
    sendEvents(
      response,
      events.map((event, index) => ({ name: event.type, data: { ...event, sequence_number: index } })),
    );
  },
};

type Item = { id: string } & (
  | {
      type: 'message';
      role: 'assistant';
      status: string;
      content: [{ type: 'output_text'; text: string; annotations: [] }];
    }
  | { type: 'function_call'; call_id: string; name: string; arguments: string; status: string }
  | { type: 'custom_tool_call'; call_id: string; name: string; input: string; status: string }
);

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

function itemsOf({ text, tools = [] }: ScriptedTurn, number: number): Item[] {
  const status = 'completed';
  const calls = tools.map((tool, index): Item => {
    const about = { call_id: `call_${number}_${index}`, name: tool.name, status };
    return 'args' in tool
      ? {
          type: 'function_call',
          id: `fc_${number}_${index}`,
          arguments: JSON.stringify(tool.args),
          ...about,
          ...namespaceOf(tool),
        }
      : { type: 'custom_tool_call', id: `ctc_${number}_${index}`, input: tool.freeform, ...about };
  });
  if (text === undefined) return calls;
  const content: [{ type: 'output_text'; text: string; annotations: [] }] = [
    { type: 'output_text', text, annotations: [] },
  ];
  return [{ type: 'message', id: `msg_${number}`, role: 'assistant', status, content }, ...calls];
}

const namespaceOf = ({ namespace }: { namespace?: string }) => (namespace === undefined ? {} : { namespace });

interface ResponseEvent {
  type: string;
  [field: string]: unknown;
}

function eventsOf(item: Item, index: number): ResponseEvent[] {
  const at = { output_index: index, item_id: item.id };
  const begun = { ...item, status: 'in_progress', ...emptyOf[item.type] };
  return [
    { type: 'response.output_item.added', ...at, item: begun },
    ...partsOf(item).map(({ type, ...part }) => ({ type: `response.${type}`, ...at, ...part })),
    { type: 'response.output_item.done', ...at, item },
  ];
}

const emptyOf = { message: { content: [] }, function_call: { arguments: '' }, custom_tool_call: { input: '' } };

function partsOf(item: Item): ResponseEvent[] {
  if (item.type === 'function_call')
    return [
      { type: 'function_call_arguments.delta', delta: item.arguments },
      { type: 'function_call_arguments.done', arguments: item.arguments },
    ];
  if (item.type === 'custom_tool_call')
    return [
      { type: 'custom_tool_call_input.delta', delta: item.input },
      { type: 'custom_tool_call_input.done', input: item.input },
    ];
  const [part] = item.content;
  return [
    { type: 'content_part.added', content_index: 0, part: { ...part, text: '' } },
    { type: 'output_text.delta', content_index: 0, delta: part.text },
    { type: 'output_text.done', content_index: 0, text: part.text },
    { type: 'content_part.done', content_index: 0, part },
  ];
}
