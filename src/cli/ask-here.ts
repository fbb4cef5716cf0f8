import { composeEngine } from '../compose.ts';
import { loadHooks } from '../discovery/load.ts';
import { createPeople } from '../people/people.ts';
import { createMask } from '../secrets/mask.ts';
import { sessionPaths } from '../session/paths.ts';
import type { BreakpointEnd } from './commands/breakpoint.ts';
import { sessionWithoutName } from './dispatch-outside.ts';
import { exit } from './exit.ts';
import type { Io } from './io.ts';
import { createSay } from './say.ts';
import { watchSignals } from './signals.ts';

interface Asked {
  question: string;
  title?: string;
  files?: readonly string[];
}

/** Asks a person outside of any session; hooks of approval.requested hear of it. */
export async function askHere(asked: Asked, io: Io): Promise<BreakpointEnd> {
  const { places, hooks } = loadHooks({ cwd: io.cwd, env: io.env });
  const mask = createMask(io.env);
  const say = createSay(io, mask);
  const { signal } = watchSignals();
  const engine = composeEngine({ hooks, places, env: io.env, mask, warn: say.line, relay: say.line });
  const session = io.env['HOOKLOOP_SESSION'] ?? sessionWithoutName;
  const event = { name: 'approval.requested', session, at: new Date().toISOString(), cwd: places.root } as const;
  const people = createPeople({
    env: io.env,
    session,
    sessionFolder: sessionPaths(places.root, sessionWithoutName).folder,
    root: places.root,
    seed: sessionWithoutName,
    secrets: () => ({}),
    mask,
    warn: say.line,
    onQuestion: ({ id }) => {
      io.err(`waits for a person; answer with: hookloop approve ${id}, or hookloop reject ${id}\n`);
      const { question, title } = asked;
      void engine.fire(
        { ...event, question, ...(title !== undefined && { title }), extra: { approval: id } },
        { signal },
      );
    },
  });
  const end = await people.ask({ event, ...asked }, signal);
  await people.close();
  await engine.settle();
  if (end.kind === 'answered') return { approved: end.approved, ...(end.message !== '' && { message: end.message }) };
  if (end.kind === 'failed') return { failed: end.reason };
  return { failed: end.kind === 'expired' ? 'nobody answered in time' : `interrupted (exit code ${exit.failed})` };
}
