import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTranscript } from './transcript.ts';

test('the result of a tool is its text, other values are JSON, and none is an empty text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-transcript-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'transcript.jsonl');
  const transcript = createTranscript({ file, session: 's', cwd: folder, mask: text => text });
  for (const output of ['done', { lines: 2 }, undefined, null, ''])
    transcript.happened({
      name: 'tool.called',
      tool: 'Bash',
      toolCallId: 'c',
      ...(output !== undefined && { output }),
    });
  transcript.happened({ name: 'tool.failed', tool: 'Bash', toolCallId: 'c' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line).message.content[0].content)).toEqual([
    ...['done', '{"lines":2}', '', '', '', ''],
  ]);
});
