import { inputOf, isOwnQuestion, listIn, type ModelWire, type ScriptedTurn, sendEvents, sendJson } from './server.ts';

/** `POST /v1/messages`, as Claude Code asks. */
export const anthropicMessages: ModelWire = {
  plainAnswer: path => (path.endsWith('/count_tokens') ? { input_tokens: 10 } : undefined),
  isForModel: path => path.endsWith('/v1/messages'),
  isTurn: body => listIn(body, 'tools').length > 0 && !isOwnQuestion(listIn(body, 'messages').at(-1)),
  conversationOf: body => body['messages'],
  answer(turn, { body, number }, response) {
    const blocks = blocksOf(turn, number);
    const stopReason = turn.tools ? 'tool_use' : 'end_turn';
    const message = {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [] as unknown[],
      stop_reason: null as string | null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    };
    if (body['stream'] !== true) return sendJson(response, { ...message, content: blocks, stop_reason: stopReason });
    const end = { stop_reason: stopReason, stop_sequence: null };
    sendEvents(
      response,
      [
        { type: 'message_start', message },
        ...blocks.flatMap(eventsOf),
        { type: 'message_delta', delta: end, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ].map(data => ({ name: data.type, data })),
    );
  },
};

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

const blocksOf = ({ text, tools = [] }: ScriptedTurn, number: number): Block[] => [
  ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
  ...tools.map(
    (tool, index): Block => ({
      type: 'tool_use',
      id: `toolu_${number}_${index}`,
      name: tool.name,
      input: inputOf(tool),
    }),
  ),
];

const eventsOf = (block: Block, index: number): { type: string }[] => {
  const isText = block.type === 'text';
  const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  const events = [
    { type: 'content_block_start', index, content_block: start },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
  return events;
};
