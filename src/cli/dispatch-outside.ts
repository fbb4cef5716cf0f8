import { setTimeout as delay } from 'node:timers/promises';
import type { InsideActions } from '../app/dispatch.ts';
import type { Engine } from '../engine/engine.ts';
import { createMask, type Mask } from '../hooks/secrets/mask.ts';
import { createSecrets } from '../hooks/secrets/secrets.ts';
import type { ActionRunners, HookEvent, Places } from '../model/index.ts';
import { createPeople } from '../people/people.ts';
import { sessionWithoutName } from '../session/names.ts';
import { sessionFiles } from '../session/paths.ts';
import type { Io } from './io.ts';

/** Webhooks that nobody waits for have so long to be sent. */
const sendingMs = 5000;

/** Actions that reach beyond a shell, for one event of `dispatch`. */
export interface Outside {
  actions: ActionRunners;
  /** Hides what the user's secrets files say, too. */
  mask: Mask;
  /** Waits until what is on its way has been sent, within its limit, and closes everything. */
  finish(engine: Engine): Promise<void>;
  /** Ends what still runs. */
  signal: AbortSignal;
}

export function openOutside(io: Io, places: Places, event: HookEvent): Outside {
  const warn = (text: string): void => io.err(`hookloop: ${mask(text)}\n`);
  const secrets = createSecrets(places, text => io.err(`hookloop: ${text}\n`));
  const mask = createMask(io.env, () => Object.values(secrets()));
  const late = new AbortController();
  const people = createPeople({
    env: io.env,
    session: event.session ?? sessionWithoutName,
    sessionFolder: sessionFiles(places.root, sessionWithoutName).folder,
    root: places.root,
    seed: sessionWithoutName,
    secrets,
    mask,
    warn,
    onQuestion: ({ id, question }) =>
      io.err(`waits for a person: ${mask(question)}\nanswer with: hookloop approve ${id}, or hookloop reject ${id}\n`),
  });
  // Children and judges need the whole loop, webhooks do not.
  const load = async (): Promise<InsideActions> => {
    const { createDispatchActions } = await import('../app/dispatch.ts');
    return createDispatchActions({
      ...{ places, mask, secrets },
      env: io.env,
      watcher: { notice: () => {}, remark: ({ text }) => warn(text) },
      program: process.argv[1]!,
    });
  };
  let loaded: Promise<InsideActions> | undefined;
  const inside = (): Promise<InsideActions> => {
    loaded ??= load();
    return loaded;
  };
  return {
    actions: {
      async webhook(action, run) {
        const outcome = await people.webhook(action, run);
        if (outcome.kind !== 'cancelled' || !late.signal.aborted) return outcome;
        return { kind: 'timed-out', afterMs: sendingMs, stdout: '', stderr: '' };
      },
      spawn: async (action, run) => (await inside()).spawn(action, run),
      prompt: async (action, run) => (await inside()).prompt(action, run),
      agent: async (action, run) => (await inside()).agent(action, run),
    },
    mask,
    signal: late.signal,
    async finish(engine) {
      const done = new AbortController();
      const settled = engine.settle();
      await Promise.race([settled, delay(sendingMs, undefined, { signal: done.signal }).catch(() => {})]);
      done.abort();
      late.abort();
      await settled;
      await people.close();
    },
  };
}
