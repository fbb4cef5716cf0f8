import { expect, test } from 'vitest';
import { commandGroups, commands } from './commands/index.ts';
import { commandHelp, overview } from './help.ts';
import { createColours } from './print/paint.ts';

const wide = { colours: createColours(false), columns: 2000 };

test('the help tells which commands print one object a line with --json', () => {
  const streaming = ['demo', 'run', 'resume', 'log'];
  for (const command of commands) {
    const [, doc] = /^ {2}--json +(.*)$/m.exec(commandHelp(command, wide))!;
    const { name } = command;
    expect([name, doc]).toEqual([
      name,
      streaming.includes(name)
        ? 'one JSON object a line on stdout, and nothing else there'
        : 'one JSON document on stdout, and nothing else there',
    ]);
  }
});

test.each([40, 60, 80, 200])(
  'nothing in the help is wider than a terminal of %d columns, but lines to be copied',
  columns => {
    const terminal = { colours: createColours(false), columns };
    const texts = [overview(commandGroups, terminal), ...commands.map(command => commandHelp(command, terminal))];
    const lines = texts.flatMap(text => text.split('\n'));
    const examples = new Set(commands.map(({ example }) => `  ${example}`));
    const isOneWord = (line: string): boolean => /^ *(-\w, )?\S+( \S+)?$/.test(line);
    expect(
      lines.filter(line => line.length > Math.min(columns, 100) && !examples.has(line) && !isOneWord(line)),
    ).toEqual([]);
  },
);

test('the help has five groups, and every command once', () => {
  const text = overview(commandGroups, wide);
  const titles = [...text.matchAll(/^(\w+): .*$/gm)].map(([, title]) => title);
  expect(titles.filter(title => title !== 'Usage')).toEqual(['Start', 'Run', 'Look', 'People', 'Agents']);
  for (const { name, summary } of commands) expect(text.split(new RegExp(`^  ${name} +`, 'm')).length, summary).toBe(2);
});

test('on a terminal of 100 columns every command has one line', () => {
  const text = overview(commandGroups, { ...wide, columns: 100 });
  expect(text.split('\n').filter(line => /^ {4}/.test(line))).toEqual([]);
});
