import { type Body, inputOf, listIn, type ModelWire, sendEvents, sendJson } from './server.ts';

/** `POST /v1beta/models/NAME:streamGenerateContent`, as Gemini CLI asks. */
export const geminiGenerate: ModelWire = {
  plainAnswer: path => (path.endsWith(':countTokens') ? { totalTokens: 10 } : undefined),
  isForModel: path => /:(streamG|g)enerateContent$/.test(path),
  isTurn: body => listIn(body, 'tools').some(hasFunctions) && !wantsJson(body),
  conversationOf: body => body['contents'],
  answer({ text, tools = [] }, { body, path, number }, response) {
    const parts = [
      ...(text === undefined ? [] : [{ text: wantsJson(body) ? '{}' : text }]),
      ...tools.map((tool, index) => ({
        functionCall: {
          id: `call_${number}_${index}`,
          name: tool.name,
          args: inputOf(tool),
        },
      })),
    ];
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'scripted',
      responseId: `r${number}`,
    };
    if (path.endsWith(':generateContent')) sendJson(response, whole);
    else sendEvents(response, [{ data: whole }]);
  },
};

const hasFunctions = (tool: unknown): boolean => listIn(tool as Body, 'functionDeclarations').length > 0;

/** Who speaks next, is it a loop, which model: questions of the agent's own want JSON. */
const wantsJson = (body: Body): boolean =>
  (body['generationConfig'] as Body | undefined)?.['responseMimeType'] === 'application/json';
