import { didYouMean } from '../../model/nearest.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { bashScript, zshScript } from '../completion/bash.ts';
import { completedCommand } from '../completion/complete-words.ts';
import { fishScript } from '../completion/fish.ts';
import { exit } from '../exit.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** `commands`: all there are, this one too. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a script that completes commands, options, sessions and events',
  arguments: [shells.join('|')],
  example: 'eval "$(hookloop completion bash)"',
  run({ positionals: [shell = ''] }, io) {
    const known = shells.find(one => one === shell);
    if (known === undefined) {
      const hint = didYouMean(shell, shells) ?? `known: ${shells.join(', ')}`;
      throw new UsageError(withHint(`there is no completion for ${shell}`, hint));
    }
    io.out(scripts[known](commands().map(completedCommand)));
    return exit.done;
  },
});
