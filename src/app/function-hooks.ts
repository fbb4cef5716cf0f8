import {
  type ActionOutcome,
  type EventName,
  eventNames,
  type HookDefinition,
  type HookEvent,
  isPending,
  type RunAction,
} from '../model/index.ts';
import { didYouMean } from '../model/nearest.ts';

/** What a function that is a hook may answer; nothing is as good as `proceed()`. */
export type FunctionAnswer = { kind: 'proceed' } | { kind: 'deny'; reason: string } | { kind: 'tell'; text: string };

/** A hook that is a function of the program. One that throws has failed: where it could refuse, it refuses. */
export type FunctionHook<Name extends EventName = EventName> = (
  event: HookEvent<Name>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing lets the event pass.
) => FunctionAnswer | void | Promise<FunctionAnswer | void>;

/** Functions by the event that they are hooks of. */
export type FunctionHooks = {
  readonly [Name in EventName]?: FunctionHook<Name> | readonly FunctionHook<Name>[];
};

/** Nothing to object to. */
export const proceed = (): FunctionAnswer => ({ kind: 'proceed' });

/** Refuses what is about to happen, or finds fault with what has; the agent gets the reason. */
export const deny = (reason: string): FunctionAnswer => ({ kind: 'deny', reason });

/** Nothing to object to, but something to say to the agent. */
export const tell = (text: string): FunctionAnswer => ({ kind: 'tell', text });

/** Functions as hooks that the engine can order, match and count, and what runs them. */
export interface FunctionHooksRun {
  hooks: readonly HookDefinition[];
  run: RunAction<'function'>;
}

/** Contract: throws TypeError for an event that no one knows, since a gate of it would never be asked. */
export function toFunctionHooks(functions: FunctionHooks): FunctionHooksRun {
  const byId = new Map<string, FunctionHook>();
  for (const name of Object.keys(functions))
    if (!(eventNames as readonly string[]).includes(name))
      throw new TypeError(
        `hooks: unknown event ${name}; ${didYouMean(name, eventNames) ?? 'hookloop events lists them all'}`,
      );
  const hooks = Object.entries(functions).flatMap(([name, given]) =>
    [given].flat().map((hook, index): HookDefinition => {
      const event = name as EventName;
      const id = `native:program#${event}[${index}]`;
      byId.set(id, hook as FunctionHook);
      return {
        ...{ id, event, spelling: event, name: hook.name || event, wait: true, timeoutMs: null },
        place: { label: 'program', from: 'the program' },
        match: {},
        action: { kind: 'function' },
        ...{ onFailure: policyOf(event), onTimeout: policyOf(event), feedback: 'now' },
        source: { dialect: 'native', scope: 'project', file: 'program', line: index + 1 },
      };
    }),
  );
  return { hooks, run: (_action, { hook, event }) => call(byId.get(hook.id)!, event) };
}

export const noFunctions: FunctionHooksRun = toFunctionHooks({});

/** A task is sent back to the agent; everything else that is about to happen does not. */
const policyOf = (event: EventName): HookDefinition['onFailure'] =>
  event === 'task.completing' ? 'revise' : isPending(event) ? 'block' : 'continue';

async function call(hook: FunctionHook, event: HookEvent): Promise<ActionOutcome> {
  try {
    const answer = (await hook(event)) ?? proceed();
    if (answer.kind === 'deny') return { kind: 'judged', ok: false, reason: answer.reason };
    return { kind: 'exited', exitCode: 0, stdout: answer.kind === 'tell' ? answer.text : '', stderr: '' };
  } catch (error) {
    return { kind: 'not-started', reason: error instanceof Error ? error.message : String(error) };
  }
}
