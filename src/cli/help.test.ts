import { expect, test } from 'vitest';
import { commands } from './commands/index.ts';
import { commandHelp } from './help.ts';

test('the help tells which commands print one object a line with --json', () => {
  const streaming = ['demo', 'run', 'resume', 'log'];
  for (const command of commands) {
    const [, doc] = /^ {2}--json +(.*)$/m.exec(commandHelp(command))!;
    const { name } = command;
    expect([name, doc]).toEqual([
      name,
      streaming.includes(name)
        ? 'one JSON object a line on stdout, and nothing else there'
        : 'one JSON document on stdout, and nothing else there',
    ]);
  }
});
