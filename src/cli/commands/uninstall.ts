import type { Command } from '../command.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { changeHost, scopeOptions } from './install.ts';

export const uninstall: Command = {
  name: 'uninstall',
  summary: "Take Hookloop's entries out of an agent's hooks again",
  arguments: ['AGENT'],
  options: scopeOptions,
  example: 'hookloop uninstall claude',
  run(args, io) {
    if (!args.flags.has('dry-run')) refuseAgents('uninstall', io);
    return changeHost('uninstall', args, io);
  },
};
