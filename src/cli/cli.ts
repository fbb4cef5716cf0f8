import { printable } from '../model/index.ts';
import { didYouMean } from '../model/nearest.ts';
import { version } from '../platform/build.ts';
import { withHint } from './command.ts';
import { commandGroups, commands } from './commands/index.ts';
import { exit } from './exit.ts';
import { overview } from './help.ts';
import type { Io } from './io.ts';
import { terminalOf } from './print/paint.ts';
import { runCommand } from './run-command.ts';

/** The whole program: every command, help and version. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const leading = leadingOptions(argv);
  const [name, ...rest] = argv.slice(leading.length);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const topic = commands.find(command => command.name === rest[0]);
    if (topic) return runCommand(topic, ['--help'], io);
    const stream = name === undefined ? 'err' : 'out';
    const terminal: Io['terminal'] = argv.includes('--no-color')
      ? each => ({ ...io.terminal(each), color: false })
      : io.terminal;
    io[stream](overview(commandGroups, terminalOf({ ...io, terminal }, undefined, stream)));
    return name === undefined ? exit.usage : exit.done;
  }
  if (name === '--version' || name === '-V' || name === 'version') {
    io.out(`${version}\n`);
    return exit.done;
  }
  const command = commands.find(known => known.name === name);
  if (command) return runCommand(command, [...leading, ...rest], io);
  const isOption = name.startsWith('-');
  const known = isOption ? ['--help', '--version', '--directory'] : commands.map(each => each.name);
  const unknown = `unknown ${isOption ? 'option' : 'command'} ${printable(name)}`;
  io.err(`hookloop: ${withHint(unknown, didYouMean(name, known))}\nTry: hookloop --help\n`);
  return exit.usage;
}

/** Options of every command may stand before its name, as git has it. */
function leadingOptions(argv: readonly string[]): readonly string[] {
  let count = 0;
  for (;;) {
    const option = argv[count] ?? '';
    if (['-C', '--directory'].includes(option)) count += 2;
    else if (['--json', '--no-color'].includes(option)) count += 1;
    else return argv.slice(0, count);
  }
}
