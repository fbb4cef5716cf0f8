import { resumeSession } from '../../app/resume-session.ts';
import { startSession } from '../../app/start-session.ts';
import { canAsk } from '../ask-yes-no.ts';
import type { Command } from '../command.ts';
import { groupError, sessionOrLast } from '../find-session.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { playSession } from '../run/play-session.ts';
import { limitOptions, maxWaitMs, readLimits, readRequest, runOptions } from '../run/run-options.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run an agent through a pipeline, a prompt or a list of tasks, with hooks around it',
  arguments: ['[PIPELINE]'],
  options: runOptions,
  streams: true,
  example: 'hookloop run --tasks tasks.md --agent claude',
  run(args, io) {
    const request = readRequest(args, io);
    return playSession('run', args.flags, io, ports => startSession(request, ports));
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'Continue a session that stopped, failed, crashed or was interrupted',
  arguments: ['[SESSION]'],
  options: {
    quiet: runOptions.quiet,
    ...limitOptions,
    'max-wait': runOptions['max-wait'],
    'accept-changes': {
      doc: 'continue although gates or their scripts have changed, or the session was started elsewhere; you have looked at it',
    },
  },
  streams: true,
  example: 'hookloop resume tasks-20261115-221758',
  async run({ positionals, flags, values }, io) {
    const raised = { limits: readLimits(values), maxWaitMs: maxWaitMs(values['max-wait']) };
    const name = positionals[0] ?? (await sessionOrLast(undefined, io)).name;
    const acceptChanges = flags.has('accept-changes');
    if (acceptChanges) refuseAgents('hookloop resume --accept-changes', io);
    return playSession('resume', flags, io, async ports => {
      const resumed = await resumeSession(name, { acceptChanges, isPersonHere: canAsk(io), ...raised }, ports);
      if (resumed.kind === 'group') throw groupError(name);
      return resumed;
    });
  },
};
