import { canRefuse } from '../../dialects/gates.ts';
import { wires } from '../../dialects/wires.ts';
import type { Engine } from '../../engine/engine.ts';
import { gitEventsOf } from '../../hosts/native-events.ts';
import {
  type ActionOutcome,
  type ActionRun,
  type DialectWire,
  type EventName,
  type EventResult,
  type HookDefinition,
  type HookEvent,
  type HookId,
  type Places,
  type RunAction,
  strictest,
} from '../../model/index.ts';
import type { Mask } from '../../model/mask.ts';
import { type AnswerWord, answerWord } from '../answer-word.ts';
import { askedBy, createAskNoOne } from '../ask-no-one.ts';
import { composeEngine } from '../compose.ts';
import type { Env } from '../context.ts';

interface RulesOptions {
  hooks: readonly HookDefinition[];
  places: Places;
  env: Env;
  mask: Mask;
  signal: AbortSignal;
}

/** What a hook had answered when it was asked about an event; undefined where it was not. */
export type Recalled = (hook: HookDefinition) => ActionOutcome | undefined;

/** What the rules say of an event that has happened. */
interface Said {
  word: AnswerWord;
  by?: HookDefinition;
  /** What the agent, or the person who would be asked, is told. */
  message: string;
  result: EventResult;
}

export interface PresentRules {
  /** Whether some hook is about the event at all. */
  listensTo(event: HookEvent): boolean;
  /** `root`: what the files of the event are named from. A tool call is asked about with all that it does to a repository. */
  ask(event: HookEvent, root: string, recalled?: Recalled): Promise<Said>;
  /** Hooks that could decide and were not run, and how often. */
  notRun: ReadonlyMap<HookDefinition, number>;
  /** Rules that would have told the agent something, and how often. */
  told: ReadonlyMap<HookDefinition, number>;
}

/** Hooks that can say what they think of what has happened without doing anything: rules, questions, and pure commands. */
export function createPresentRules({ hooks: all, places, env, mask, signal }: RulesOptions): PresentRules {
  const hooks = all.filter(hook => hook.action.kind === 'tell' || (hook.wait && (isPure(hook) || canRefuse(hook))));
  const byId = new Map(hooks.map(hook => [hook.id, hook]));
  const events = new Set(hooks.map(({ event }) => event));
  const [notRun, told] = [new Map<HookDefinition, number>(), new Map<HookDefinition, number>()];
  const recalling = new WeakMap<HookEvent, Recalled>();
  const unheard = new WeakSet<ActionOutcome>();
  const noOne = createAskNoOne();

  const instead = async (run: ActionRun): Promise<ActionOutcome> => {
    const known = recalling.get(run.event)?.(run.hook);
    if (known) return known;
    if (askedBy(run.hook.action) === 'person') return noOne.actions({ ask: never }).ask!(run.hook.action as never, run);
    count(notRun, run.hook);
    const outcome: ActionOutcome = { kind: 'not-started', reason: 'it was not run' };
    unheard.add(outcome);
    return outcome;
  };
  const standIn: RunAction = (_action, run) => instead(run);
  const ofKinds = { ask: standIn, webhook: standIn, spawn: standIn, prompt: standIn, agent: standIn, judge: standIn };
  const silent = (real: readonly DialectWire[]): DialectWire[] =>
    real.map(wire => ({
      ...wire,
      interpret: (outcome, hook, event) =>
        unheard.has(outcome) ? { verdict: { kind: 'passed' } } : wire.interpret(outcome, hook, event),
    }));

  const engines = new Map<string, Engine>();
  const engineFor = (root: string): Engine => {
    const known = engines.get(root);
    if (known) return known;
    const engine = composeEngine({
      ...{ hooks, env, mask, relay: () => {}, warn: () => {} },
      places: root === places.root ? places : { ...places, root, repo: root },
      actions: { ...ofKinds, function: standIn },
      wires: noOne.wires(silent(wires)),
      // What it is called by stands in this project, wherever the call was made.
      onlyTrusted: run => (action, at) => (isPure(at.hook) ? run(action, { ...at, places }) : instead(at)),
    });
    if (engines.size >= maxEngines) engines.delete(engines.keys().next().value!);
    engines.set(root, engine);
    return engine;
  };

  const listens = (name: EventName): boolean => events.has(name);
  return {
    listensTo: ({ name }) => listens(name) || (name === 'tool.calling' && gitEvents.some(listens)),
    async ask(event, root, recalled) {
      const results: EventResult[] = [];
      for (const each of [event, ...(await gitEventsOf(event, listens))]) {
        if (recalled) recalling.set(each, recalled);
        const result = await engineFor(root).fire(each, { signal });
        results.push(result);
        for (const { status, hook } of result.results)
          if (status === 'finished' && byId.get(hook)?.action.kind === 'tell') count(told, byId.get(hook)!);
        if (result.decision.kind !== 'proceed') break;
      }
      return saidOf(mergedOf(results), noOne.unasked, byId);
    },
    notRun,
    told,
  };
}

/** So many worktrees no one has; beyond them their engines are made again. */
const maxEngines = 100;

const gitEvents: readonly EventName[] = ['branch.creating', 'commit.creating'];

/** It has promised that it may be run at any time, as often as anyone likes. */
const isPure = ({ action, settings, wait }: HookDefinition): boolean =>
  action.kind === 'shell' && wait && settings?.['pure'] === true;

const never: RunAction<'ask'> = async () => ({ kind: 'cancelled' });

const count = (counts: Map<HookDefinition, number>, hook: HookDefinition): void =>
  void counts.set(hook, (counts.get(hook) ?? 0) + 1);

const mergedOf = (results: readonly EventResult[]): EventResult => ({
  ...results[0]!,
  decision: strictest(results.map(({ decision }) => decision)),
  results: results.flatMap(each => each.results),
  feedback: results
    .map(({ feedback }) => feedback)
    .filter(Boolean)
    .join('\n'),
});

function saidOf(
  result: EventResult,
  unasked: ReturnType<typeof createAskNoOne>['unasked'],
  byId: ReadonlyMap<HookId, HookDefinition>,
): Said {
  const { decision, feedback } = result;
  const word = answerWord({ result, unasked });
  if (decision.kind === 'proceed') return { word, message: feedback, result };
  const by = byId.get(decision.by);
  const message = unasked.get(decision.by)?.question ?? decision.reason;
  return { word, message, result, ...(by && { by }) };
}
