import { execFileSync } from 'node:child_process';
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

/** A short session: a prompt, a call, an answer with a promise. */
function sessionLines(): { file: string; lines: Record<string, Record<string, unknown>>[] } {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-transcript-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'transcript.jsonl');
  const transcript = createTranscript({ file, session: 's', cwd: folder, mask: text => text });
  transcript.prompted('Do the work.');
  transcript.said('I look.');
  const call = { tool: 'run_shell_command', toolCallId: 'c' };
  transcript.happened({ ...call, name: 'tool.calling', input: { command: 'ls' } });
  transcript.happened({ ...call, name: 'tool.called', output: 'a.txt' });
  transcript.said('All done.\n<promise>COMPLETE</promise>');
  return {
    file,
    lines: readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  };
}

test('its lines have the fields of a transcript that Claude Code has written', () => {
  const recorded = readFileSync(new URL('../app/backtest/fixtures/claude/session.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => /"role":"(user|assistant)"/.test(line))
    .slice(0, 4)
    .map(line => JSON.parse(line));
  const { lines } = sessionLines();
  // What only that program knows of itself.
  const own =
    /^(promptId|permissionMode|entrypoint|gitBranch|perTurnEffort|sourceToolAssistantUUID|permissionDecision)$/;
  for (const [at, line] of recorded.entries()) {
    const fields = Object.keys(line).filter(name => !own.test(name));
    expect(Object.keys(lines[at]!)).toEqual(expect.arrayContaining(fields));
    const message = Object.keys(line.message).filter(name => name !== 'model' && name !== 'stop_details');
    expect(Object.keys(lines[at]!['message']!)).toEqual(expect.arrayContaining(message));
  }
  expect(lines.slice(1).map(line => line['parentUuid'])).toEqual(lines.slice(0, -1).map(line => line['uuid']));
  expect(lines[2]!['message']).toMatchObject({ content: [{ name: 'Bash' }], stop_reason: 'tool_use' });
});

const readers = {
  jq: `jq -rs '[.[] | select(.type == "assistant") | .message.content[]? | select(.type == "text") | .text] | last' "$1"`,
  python: `python3 - "$1" <<'END'
import json, sys
last = ''
for line in open(sys.argv[1]).readlines()[-50:]:
    entry = json.loads(line)
    if entry.get('type') == 'assistant' and not entry['isSidechain']:
        for block in entry['message']['content']:
            if block['type'] == 'text': last = block['text']
print(last)
END`,
  'a loop that waits for a promise': `line=$(grep '"role":"assistant"' "$1" | tail -1)
printf '%s' "$line" | jq -r '.message.content | map(select(.type == "text")) | map(.text) | join("\n")'`,
};
test.each(Object.entries(readers))('stop hooks find the last answer in it: %s', (_, script) => {
  const said = execFileSync('bash', ['-c', script, 'reader', sessionLines().file], { encoding: 'utf8' });
  expect(/<promise>(.*?)<\/promise>/.exec(said)?.[1]).toBe('COMPLETE');
});
