import { composeEngine } from '../app/compose.ts';
import { openOutside } from '../app/outside.ts';
import type { Progress } from '../model/index.ts';
import { createPeople } from '../people/people.ts';
import type { ControlValues } from '../session/control/wire.ts';
import { sessionFiles, sessionWithoutName } from '../session/paths.ts';
import type { Io } from './io.ts';
import { createSay, type Say } from './print/say.ts';
import { watchSignals } from './signals.ts';

interface Asked {
  question: string;
  title?: string;
  files?: readonly string[];
}

export type BreakpointEnd = ControlValues['approval'] | { failed: string };

/** Asks a person outside of any session; hooks of approval.requested hear of it. */
export async function askHere(asked: Asked, io: Io): Promise<BreakpointEnd> {
  const { loadApplyingHooks } = await import('../hooks/plan/compile.ts');
  const { places, hooks } = loadApplyingHooks({ cwd: io.cwd, env: io.env });
  const { signal } = watchSignals();
  const session = io.env['HOOKLOOP_SESSION'] ?? sessionWithoutName;
  const event = { name: 'approval.requested', session, at: new Date().toISOString(), cwd: places.root } as const;
  const outside = openOutside(
    { env: io.env, program: process.argv[1]!, tell: line => io.err(`${line}\n`) },
    places,
    event,
  );
  const { mask } = outside;
  const say = createSay(io, mask);
  const engine = composeEngine({
    ...{ hooks, places, env: io.env, mask, warn: say.line, relay: say.line },
    actions: outside.actions,
    onProgress: progress => signal.aborted || tellFailure(progress, say),
  });
  let heard: Promise<unknown> | undefined;
  const people = createPeople({
    env: io.env,
    session,
    sessionFolder: sessionFiles(places.root, sessionWithoutName).folder,
    root: places.root,
    seed: sessionWithoutName,
    secrets: () => ({}),
    mask,
    warn: say.line,
    onQuestion: ({ id, files }) => {
      io.err(`waits for a person; answer with: hookloop approve ${id}, or hookloop reject ${id}\n`);
      const { question, title } = asked;
      heard = engine.fire(
        {
          ...{ ...event, question, extra: { approval: id } },
          ...(title !== undefined && { title }),
          ...(files && { context: { files } }),
        },
        { signal: AbortSignal.any([signal, outside.signal]) },
      );
    },
  });
  const end = await people.ask({ event, ...asked }, signal);
  await people.close();
  await outside.finish({ ...engine, settle: () => Promise.all([heard, engine.settle()]).then(() => engine.settle()) });
  if (end.kind === 'answered') {
    const { kind: _, approved, message, ...given } = end;
    return { approved, ...(message !== '' && { message }), ...given };
  }
  if (end.kind === 'failed') return { failed: end.reason };
  return { failed: end.kind === 'expired' ? 'nobody answered in time' : 'interrupted before anybody answered' };
}

/** The person may never hear of the question then. */
function tellFailure(progress: Progress, say: Say): void {
  if (progress.type !== 'finished' || progress.result.status !== 'finished') return;
  const { verdict } = progress.result;
  if (verdict.kind === 'failed') say.line(`hookloop: hook ${progress.hook.name} failed: ${verdict.reason}`);
}
