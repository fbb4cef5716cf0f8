import { startSession } from '../../app/start-session.ts';
import type { Command } from '../command.ts';
import { playSession } from '../run/play.ts';
import { readRequest, runOptions } from '../run/run-options.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run an agent through a pipeline, a prompt or a list of tasks, with hooks around everything',
  arguments: ['[PIPELINE]'],
  options: runOptions,
  streams: true,
  example: 'hookloop run --tasks tasks.md --agent claude',
  run(args, io) {
    const request = readRequest(args, io);
    return playSession('run', { io, flags: args.flags }, ports => startSession(request, ports));
  },
};
