import { expect, test } from 'vitest';
import { createToolCall, patch, toolInput } from './tool-call.ts';

test('a question that shows nothing does not make the input unknown', () => {
  const call = createToolCall('call_1');
  patch(call, { title: 'read', kind: 'read', rawInput: {} });
  expect(toolInput(call)).toEqual({});
  patch(call, { status: 'in_progress', rawInput: { filePath: '/PROJ/a.md' } });
  patch(call, { title: 'read', rawInput: {} });
  expect(toolInput(call)).toEqual({ filePath: '/PROJ/a.md' });
  patch(call, { rawInput: { filePath: '/PROJ/b.md' } });
  expect(toolInput(call)).toEqual({ filePath: '/PROJ/b.md' });
});
