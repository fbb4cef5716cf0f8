import { spawn } from 'node:child_process';
import { createEngine, type HookDefinition, type HookEvent, type LoadedHooks, loadHooks } from '../src/index.ts';
import { measureInTurn, median } from './measure.mjs';

/** Runs inside a process of its own, bundled as a user's program would be. Prints one JSON document. */
const rounds = Number(process.argv[2]);
const cwd = process.argv[3]!;
const env = { ...process.env };
const loaded: LoadedHooks = loadHooks({ cwd, env });

const gates = loaded.hooks.filter(hook => hook.source.dialect === 'sauna');
const sideBySide = loaded.hooks.filter(hook => hook.source.dialect === 'claude');
if (gates.length !== 10 || sideBySide.length !== 10) throw new Error('the project must have ten hooks of each');

const inOrder = 'ten times spawn sh -c true, one after another';
const atOnce = 'ten times spawn sh -c true, all at once';
const ordered = await measureInTurn(
  [
    { name: inOrder, run: () => timed(spawnInOrder) },
    { name: '10 hooks of one event, one after another', run: () => timed(fireAll(gates, { name: 'task.completing' })) },
  ],
  { rounds, base: inOrder },
);
const parallel = await measureInTurn(
  [
    { name: atOnce, run: () => timed(spawnAtOnce) },
    { name: '10 hooks of one event, side by side', run: () => timed(fireAll(sideBySide, { name: 'turn.ending' })) },
  ],
  { rounds, base: atOnce },
);

const noneMicroseconds = await perFire([], { name: 'tool.called' }, 100_000);
const tool: HookEvent = { name: 'tool.calling', tool: 'Read', input: {} };
const matches: Readonly<Record<string, HookDefinition['match']>> = {
  'by tool name': { tool: { kind: 'names', names: ['write_file'] } },
  'by tool names with a glob': { tool: { kind: 'names', names: ['write_file', 'edit_*'] } },
  'by a matcher of Claude': { tool: { kind: 'matcher', matcher: 'Edit|Write' } },
};
const many: { name: string; microseconds: number }[] = [];
for (const [name, match] of Object.entries(matches))
  many.push({ name, microseconds: await perFire(manyHooks(1000, match), tool, 2000) });
const shellCall: HookEvent = { name: 'tool.calling', tool: 'Bash', input: { command: 'cd x && npm test | tail' } };
const edit: HookEvent = { name: 'tool.calling', tool: 'Edit', input: { file_path: 'src/a.ts' } };
const rules: { name: string; microseconds: number }[] = [];
for (const [name, match, event] of [
  ['deny by command', { command: { patterns: ['git push'], open: 'matches' } }, shellCall],
  ['deny by file', { tool: { kind: 'names', names: ['edit'] }, files: ['dist/**'] }, edit],
  ['tell, all of which apply', {}, edit],
] as const)
  rules.push({
    name,
    microseconds: await perFire(manyRules(1000, name.startsWith('tell') ? 'tell' : 'deny', match), event, 2000),
  });
const noneOfMany = await perFire(manyHooks(1000, {}), { name: 'turn.ended' }, 100_000);

console.log(JSON.stringify({ rows: [...ordered, ...parallel], noneMicroseconds, many, rules, noneOfMany }));

function fireAll(hooks: readonly HookDefinition[], event: HookEvent): () => Promise<void> {
  const engine = createEngine({ ...loaded, hooks, problems: [] }, { env });
  return async () => {
    const { results } = await engine.fire(event);
    if (!results.every(result => result.status === 'finished' && result.verdict.kind === 'passed'))
      throw new Error(`a hook did not pass: ${JSON.stringify(results)}`);
  };
}

/** The least that a hook needs: a group of its own, both outputs read to their end, and its exit code. */
function spawnOne(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', 'true'], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', chunk => chunks.push(chunk));
    child.stderr.on('data', chunk => chunks.push(chunk));
    child.on('error', reject).on('close', code => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
}

async function spawnInOrder(): Promise<void> {
  for (let at = 0; at < 10; at += 1) await spawnOne();
}

async function spawnAtOnce(): Promise<void> {
  await Promise.all(Array.from({ length: 10 }, spawnOne));
}

async function timed(run: () => Promise<void>): Promise<number> {
  const from = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - from) / 1e6;
}

/** Hooks for a tool that is never called. */
function manyHooks(count: number, match: HookDefinition['match']): HookDefinition[] {
  const hook: HookDefinition = {
    ...gates[0]!,
    event: 'tool.calling',
    match,
    source: { ...gates[0]!.source, dialect: 'nyzhi' },
  };
  return Array.from({ length: count }, (_, at) => ({ ...hook, id: `${hook.id}${at}` }));
}

function manyRules(count: number, kind: 'deny' | 'tell', match: HookDefinition['match']): HookDefinition[] {
  return manyHooks(count, match).map(hook => ({
    ...hook,
    action: { kind, text: 'Small commits.' },
    source: { ...hook.source, dialect: 'native' },
    feedback: 'next-prompt',
  }));
}

/** Microseconds for one event, the median of many batches. */
async function perFire(hooks: readonly HookDefinition[], event: HookEvent, fires: number): Promise<number> {
  const engine = createEngine({ ...loaded, hooks, problems: [] }, { env });
  const batches: number[] = [];
  for (let batch = 0; batch < 20; batch += 1) {
    const from = process.hrtime.bigint();
    for (let at = 0; at < fires / 20; at += 1) await engine.fire({ ...event });
    batches.push(Number(process.hrtime.bigint() - from) / 1000 / (fires / 20));
  }
  return median(batches);
}
