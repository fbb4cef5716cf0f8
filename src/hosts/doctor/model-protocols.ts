import type { Body, ModelProtocol, ScriptedTurn, ToolUse } from './model-server.ts';

/** `POST /v1/messages`, as Claude Code asks. */
export const anthropicMessages: ModelProtocol = {
  path: /\/v1\/messages$/,
  plain: { '/count_tokens': { input_tokens: 10 } },
  conversation: 'messages',
  isTurn: body => hasTools(body) && !isOwnQuestion(body),
  answer({ text, tools = [] }, { body, number }) {
    const content = [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...tools.map((tool, index) => ({
        ...{ type: 'tool_use', id: `toolu_${number}_${index}`, name: tool.name, input: inputOf(tool) },
      })),
    ];
    const end = { stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
    const message = {
      ...{ id: `msg_${number}`, type: 'message', role: 'assistant', model: body['model'] },
      usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    };
    const blocks = content.flatMap((block, index) => {
      const [start, delta] =
        'text' in block
          ? [{ text: '' }, { type: 'text_delta', text: block.text }]
          : [{ input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
      return [
        { type: 'content_block_start', index, content_block: { ...block, ...start } },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
    });
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      ...blocks,
      { type: 'message_delta', delta: end, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    return { whole: { ...message, content, ...end }, events: events.map(data => ({ name: data.type, data })) };
  },
};

/** `POST /v1/chat/completions`, as Qwen Code and opencode ask. */
export const openaiChat: ModelProtocol = {
  path: /\/chat\/completions$/,
  plain: { '/models': { object: 'list', data: [{ id: 'scripted', object: 'model' }] } },
  conversation: 'messages',
  isTurn: body => hasTools(body) && !isOwnQuestion(body),
  answer({ text, tools = [] }, { body, number }) {
    const calls = tools.map((tool, index) => ({
      ...{ index, id: `call_${number}_${index}`, type: 'function' },
      function: { name: tool.name, arguments: JSON.stringify(inputOf(tool)) },
    }));
    const finish = calls.length > 0 ? 'tool_calls' : 'stop';
    const about = { id: `chatcmpl-${number}`, created: 1, model: body['model'] };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const message = { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
    const chunk = (...choices: readonly { delta: object; finish_reason?: string }[]) => ({
      ...{ ...about, object: 'chat.completion.chunk' },
      choices: choices.map(choice => ({ index: 0, finish_reason: null, ...choice })),
    });
    const events = [
      chunk({ delta: { role: 'assistant', content: text ?? '' } }),
      ...calls.map(call => chunk({ delta: { tool_calls: [call] } })),
      chunk({ delta: {}, finish_reason: finish }),
      { ...chunk(), usage },
      '[DONE]',
    ];
    return {
      whole: { ...about, object: 'chat.completion', usage, choices: [{ index: 0, finish_reason: finish, message }] },
      events: events.map(data => ({ data })),
    };
  },
};

/** `POST /v1/responses`, as Codex asks. */
export const openaiResponses: ModelProtocol = {
  path: /\/responses$/,
  plain: { '/models': { object: 'list', data: [], models: [] } },
  conversation: 'input',
  isTurn: hasTools,
  answer(turn, { body, number }) {
    const output = responseItems(turn, number);
    const about = { id: `resp_${number}`, object: 'response', created_at: 1, model: body['model'] };
    const usage = {
      ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 0 } },
      ...{ output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 },
    };
    const whole = { ...about, status: 'completed', output, usage };
    const items = output.flatMap((item, index) => {
      const at = { output_index: index, item_id: item.id };
      const said = 'content' in item ? item.content.map(({ text }) => ({ content_index: 0, delta: text })) : [];
      return [
        {
          type: 'response.output_item.added',
          ...at,
          item: { ...item, ...emptyItem[item.type], status: 'in_progress' },
        },
        ...said.map(delta => ({ type: 'response.output_text.delta', ...at, ...delta })),
        { type: 'response.output_item.done', ...at, item },
      ];
    });
    const events = [
      { type: 'response.created', response: { ...about, status: 'in_progress', output: [], usage: null } },
      ...items,
      { type: 'response.completed', response: whole },
    ];
    return {
      whole,
      events: events.map((data, index) => ({ name: data.type, data: { ...data, sequence_number: index } })),
    };
  },
};

function responseItems({ text, tools = [] }: ScriptedTurn, number: number) {
  const status = 'completed';
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    ...(text === undefined
      ? []
      : [{ type: 'message' as const, id: `msg_${number}`, role: 'assistant', status, content }]),
    ...tools.map((tool, index) => {
      const about = { id: `fc_${number}_${index}`, call_id: `call_${number}_${index}`, name: tool.name, status };
      if ('freeform' in tool) return { type: 'custom_tool_call' as const, ...about, input: tool.freeform };
      const { args, namespace } = tool;
      const call = { type: 'function_call' as const, ...about, arguments: JSON.stringify(args) };
      return { ...call, ...(namespace !== undefined && { namespace }) };
    }),
  ];
}

const emptyItem = { message: { content: [] }, function_call: { arguments: '' }, custom_tool_call: { input: '' } };

/** `POST /v1beta/models/NAME:streamGenerateContent`, as Gemini CLI asks. */
export const geminiGenerate: ModelProtocol = {
  path: /:(streamG|g)enerateContent$/,
  plain: { ':countTokens': { totalTokens: 10 } },
  conversation: 'contents',
  isTurn: body => listIn(body, 'tools').some(hasFunctions) && !wantsJson(body),
  answer({ text, tools = [] }, { body, number }) {
    const parts = [
      ...(text === undefined ? [] : [{ text: wantsJson(body) ? '{}' : text }]),
      ...tools.map((tool, index) => ({
        functionCall: { id: `call_${number}_${index}`, name: tool.name, args: inputOf(tool) },
      })),
    ];
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      ...{ modelVersion: 'scripted', responseId: `r${number}` },
    };
    return { whole, events: [{ data: whole }] };
  },
};

const hasFunctions = (tool: unknown): boolean => listIn(tool as Body, 'functionDeclarations').length > 0;

/** Who speaks next, is it a loop, which model: questions of the agent's own want JSON. */
const wantsJson = (body: Body): boolean =>
  (body['generationConfig'] as Body | undefined)?.['responseMimeType'] === 'application/json';

/** Agents send questions of their own in the conversation's shape, with tools: for suggestions and for memories. */
const isOwnQuestion = (body: Body): boolean =>
  /\[SUGGESTION MODE|Managed memory has /.test(JSON.stringify(listIn(body, 'messages').at(-1) ?? '').slice(0, 300));

function hasTools(body: Body): boolean {
  return listIn(body, 'tools').length > 0;
}

/** What a tool gets on a protocol that knows no free form. */
const inputOf = (tool: ToolUse): unknown => ('args' in tool ? tool.args : { input: tool.freeform });

const listIn = (body: Body, field: string): readonly unknown[] => {
  const value = body[field];
  return Array.isArray(value) ? value : [];
};
