import { didYouMean } from '../../model/nearest.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { completedCommand } from '../completion/complete-words.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';
import { exit } from '../exit.ts';
import { jsonText } from '../print/text.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** `commands`: all there are, this one too. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a completion script for your shell: commands, options, sessions, events',
  arguments: [shells.join('|')],
  example: 'eval "$(hookloop completion bash)"',
  run({ positionals: [shell = ''], flags }, io) {
    const known = shells.find(one => one === shell);
    if (known === undefined) {
      const hint = didYouMean(shell, shells) ?? `known: ${shells.join(', ')}`;
      throw new UsageError(withHint(`there is no completion for "${shell}"`, hint));
    }
    const script = scripts[known](commands().map(completedCommand));
    io.out(flags.has('json') ? jsonText({ shell, script }) : script);
    return exit.done;
  },
});
