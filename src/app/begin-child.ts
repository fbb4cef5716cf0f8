import { resolve } from 'node:path';
import { missingAgent, resolveAgent } from '../agents/index.ts';
import { beginSession, type NotOpen, type OpenSession } from '../loop/open.ts';
import { resolvePipeline } from '../loop/pipeline/resolve.ts';
import { type ActionRun, describeProblem, type SpawnAction } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { version } from '../platform/build.ts';
import { childNamed, type SessionFiles } from '../session/paths.ts';
import type { SessionStart } from '../session/store.ts';
import { fillInputs } from './child-inputs.ts';
import { type ChildPoint, childName } from './children.ts';
import { childEnv } from './environment.ts';
import type { SpawnParent } from './spawn.ts';
import { whyNoWorktree, worktreeFolder } from './worktree.ts';
import type { World } from './world.ts';

type Begun = OpenSession | { kind: 'refused'; reason: string };

/** Looks up everything a child needs and makes its session. Nothing is left behind where something is wrong. */
export async function beginChild(
  action: SpawnAction,
  run: ActionRun,
  at: ChildPoint,
  { world, parent }: { world: World; parent: SpawnParent },
): Promise<Begun> {
  const from = resolve(world.places.root, run.hook.source.file);
  const places = run.hook.root === undefined ? world.places : run.places;
  const resolved = resolvePipeline(action.pipeline, { places, from });
  if (resolved.kind === 'not-found') {
    const tried = `looked at ${resolved.tried.join(', ')}`;
    return refused([`no pipeline "${resolved.name}"`, resolved.hint, tried].filter(Boolean).join('; '));
  }
  if (resolved.kind === 'bad')
    return refused(
      `the pipeline cannot run:\n${resolved.problems.map(problem => describeProblem(problem)).join('\n')}`,
    );
  const { plan } = resolved;
  const agent = plan.agent ?? ofOnlyStage(plan) ?? parent.agentAt(run.event);
  const why = whyNoAgent(plan, agent, world);
  if (why !== undefined) return refused(why);
  const inputs = fillInputs(action, run, parent.env);
  if (inputs.kind === 'bad') return refused(inputs.reason);
  const unknown = inputs.unknown.map(name => `\${${name}}`).join(', ');
  if (unknown !== '')
    world.watcher.remark({ level: 'warning', text: `${run.hook.name}: nobody knows ${unknown}, so it is empty` });
  const noWorktree = action.isolate && (await whyNoWorktree(parent.settings.root, childEnv(parent.env, [])));
  if (noWorktree !== undefined) return refused(noWorktree);
  return makeSession(at, { plan, values: inputs.values, program: version, mask: world.mask }, name => ({
    ...parent.settings,
    agent: agent ?? '',
    root: action.isolate ? worktreeFolder(childOf(parent, name)) : parent.settings.root,
    noHooks: false,
    child: { ...(run.key !== undefined && { key: run.key }), run: parent.run, depth: parent.depth + 1 },
  }));
}

/** A loop that runs alone has its agent in its stage. */
const ofOnlyStage = ({ stages }: PipelinePlan): string | undefined =>
  stages.length === 1 ? stages[0]!.agent : undefined;

const childOf = ({ paths }: SpawnParent, name: string): SessionFiles => childNamed(paths, name.split('/').at(-1)!)!;

const refused = (reason: string): Begun => ({ kind: 'refused', reason });

function whyNoAgent(plan: PipelinePlan, agent: string | undefined, { places, env }: World): string | undefined {
  if (plan.stages.some(stage => (stage.agent ?? agent) === undefined))
    return `no agent: write agent: in ${plan.file ?? 'the pipeline'} or in hookloop.yaml`;
  const judges = plan.stages.flatMap(({ termination }) => ('judge' in termination ? [termination.judge] : []));
  const wanted = [agent, ...plan.stages.map(stage => stage.agent), ...judges].filter(spec => spec !== undefined);
  for (const spec of wanted) {
    const known = resolveAgent(spec, { cwd: places.root, env });
    if ('message' in known) return [known.message, known.hint].filter(Boolean).join('; ');
  }
  return missingAgent(wanted, { cwd: places.root, root: places.root, env });
}

async function makeSession(
  at: ChildPoint,
  beginning: Omit<SessionStart, 'run' | 'settings'>,
  settingsIn: (name: string) => OpenSession['settings'],
): Promise<Begun> {
  for (let nth = 1; ; nth += 1) {
    const name = childName(at, nth);
    const opened = await beginSession(at.store, name, { ...beginning, settings: settingsIn(name) });
    if (opened.kind === 'open') return opened;
    if (opened.kind !== 'exists') return refused(sayNotOpen(name, opened));
  }
}

/** Why a child's session cannot be had. */
export function sayNotOpen(name: string, why: NotOpen): string {
  if (why.kind === 'failed' || why.kind === 'lost') return why.reason;
  if (why.kind === 'damaged')
    return `the journal of ${name} is damaged in line ${why.damage.line}: ${why.damage.reason}`;
  return why.kind === 'busy' ? `${name} is held by another process` : `${name}: ${why.kind}`;
}
