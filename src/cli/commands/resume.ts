import { loadHooks } from '../../discovery/load.ts';
import { createLook } from '../../discovery/look.ts';
import { loadSettings } from '../../discovery/settings.ts';
import { readFirst } from '../../journal/read.ts';
import { reopenSession } from '../../loop/open.ts';
import { startOf } from '../../loop/start.ts';
import type { Start } from '../../loop/veil.ts';
import { describeProblem } from '../../model/index.ts';
import type { SessionRecord } from '../../model/record.ts';
import { createMask } from '../../secrets/mask.ts';
import { checkSessionName } from '../../session/names.ts';
import { type SessionPaths, sessionPaths } from '../../session/paths.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { refuseOnlyFolder } from '../history-sessions.ts';
import { checkTrust } from '../require-trust.ts';
import { play, sayNotOpen } from '../run/play.ts';

export const resume: Command = {
  name: 'resume',
  summary: 'Go on where a session stopped, failed, crashed or was interrupted',
  arguments: ['SESSION'],
  options: { quiet: { doc: 'print only what goes wrong, and what waits for a person' } },
  streams: true,
  example: 'hookloop resume tasks-20261115-221758',
  async run({ positionals, flags }, io) {
    const name = positionals[0]!;
    const checked = checkSessionName(name);
    if (checked.kind === 'bad') throw new UsageError(checked.reason);
    const look = createLook();
    const { places, hooks, problems } = loadHooks({ cwd: io.cwd, env: io.env, look });
    const mask = createMask(io.env);
    for (const problem of problems) io.err(`${mask(describeProblem(problem))}\n`);
    if (problems.some(({ refuses }) => refuses)) {
      io.err(
        'hookloop resume: nothing was run, because a file that is or may hold a gate has errors (see hookloop check)\n',
      );
      return exit.badConfig;
    }
    const paths = sessionPaths(places.root, name);
    refuseOnlyFolder(paths);
    // Before the session is taken up: what is refused leaves no trace in it.
    const begun = begunWith(paths);
    const own = begun?.settings.noHooks ? [] : hooks;
    const trusted = begun?.settings.requireTrust ? checkTrust(begun.plan, own, io) : {};
    if (trusted.why !== undefined) {
      io.err(`hookloop resume: nothing was run: ${trusted.why}\n`);
      return exit.refused;
    }
    const opened = await reopenSession(paths);
    if (opened.kind !== 'open') {
      const { text, code } = sayNotOpen(name, opened);
      io.err(`hookloop resume: ${text}\n`);
      return code;
    }
    const { maxFailures, judge } = loadSettings(places, look);
    return play(opened, {
      ...{ io, flags, places, hooks: own },
      ...(trusted.guard && { guard: trusted.guard }),
      ...(maxFailures !== undefined && { maxFailures }),
      ...(judge !== undefined && { judge }),
    });
  },
};

/** What the session was begun with; where nobody can read it, opening it says why. */
function begunWith(paths: SessionPaths): Start | undefined {
  const first = readFirst<SessionRecord>(paths.journal);
  const start = first?.kind === 'session.started' ? startOf(paths, first) : undefined;
  return start?.kind === 'found' ? start : undefined;
}
