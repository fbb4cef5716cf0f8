import { type Diagnosis, diagnose } from '../../app/doctor.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { SystemError } from '../io.ts';
import { problemNote } from '../print/check.ts';
import { doctorText } from '../print/doctor.ts';
import { terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';
import { watchSignals } from '../signals.ts';
import { knownAgent, ownProgram } from './install.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: "Prove that an agent's hooks fire and that refusals block; say what to do if not",
  arguments: ['[AGENT]'],
  example: 'hookloop doctor claude',
  async run({ positionals: [name], flags }, io) {
    const named = name === undefined ? undefined : knownAgent(name).agent;
    const { signal, exitCode } = watchSignals();
    const isWatched = io.terminal('err').columns !== undefined;
    const found = await diagnose(named, {
      ...{ cwd: io.cwd, env: io.env, program: ownProgram(), signal },
      onAgent: agent => isWatched && io.err(`hookloop doctor: ${agent} ...\n`),
    });
    if (found.kind === 'failed') throw new SystemError(found.reason);
    const stopped = exitCode();
    if (stopped !== undefined) return stopped;
    io.out(flags.has('json') ? jsonText(toJson(found)) : doctorText(found, terminalOf(io).colours));
    io.err(io.mask(problemNote(found.problems)));
    return found.isSound ? exit.done : exit.failed;
  },
};

/** A contract with scripts. */
const toJson = ({ agents, project }: Diagnosis) => ({
  agents: agents.map(({ agent, version, fires, blocks, trust, latencyMs, findings, program, files }) => ({
    ...{ agent, version, fires, blocks, trust, latencyMs, findings, program, files },
  })),
  project,
});
