import type { Command } from '../command.ts';
import { changeHost, scopeOptions } from './install.ts';

export const uninstall: Command = {
  name: 'uninstall',
  summary: "Take Hookloop's entries out of an agent's hooks again",
  arguments: ['AGENT'],
  options: scopeOptions,
  example: 'hookloop uninstall claude',
  run: (args, io) => changeHost('uninstall', args, io),
};
