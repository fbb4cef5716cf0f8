import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { check } from '../src/app/check.ts';
import { composeEngine } from '../src/app/compose.ts';
import { takeAway } from '../src/app/migrate/take-away.ts';
import { type Migration, planMigration, writeMigration } from '../src/app/migrate.ts';
import { loadHooks } from '../src/hooks/discovery/load.ts';
import type { ActionOutcome, ActionRunners, EventResult, HookDefinition, HookEvent } from '../src/model/index.ts';
import { root } from './program.ts';

/**
 * Every example and every fixture of the other formats twice: as it is, and migrated with the old files taken away. Both
 * are fired with the same events by the real engine. Programs that hooks name are little scripts that print and exit as
 * each trial says; what asks a model, a person or a server gets its outcome from the trial.
 */
const formats = ['sauna', 'iteratr', 'nyzhi', 'babysitter', 'claude', 'pipelines'];
const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-migrate-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Case {
  name: string;
  project: string;
  home: string;
}

const fixtures: Case[] = formats.flatMap(format => {
  const folder = join(root, 'src/dialects', format, 'fixtures');
  return readdirSync(folder).map(name => ({
    name: `${format}/${name}`,
    project: join(folder, name, 'project'),
    home: join(folder, name, 'home'),
  }));
});
const examples: Case[] = readdirSync(join(root, 'examples'))
  .filter(name => !name.startsWith('.') && !existsSync(join(root, 'examples', name, 'hookloop.yaml')))
  .map(name => ({ name: `example ${name}`, project: join(root, 'examples', name), home: '' }));
const ofUser: Case = { name: 'example pipelines of the user', project: '', home: join(base, 'pipelines-home') };
cpSync(join(root, 'examples/pipelines/config'), join(ofUser.home, '.config'), { recursive: true });

interface Trial {
  code: number;
  out: string;
  err: string;
  /** How what asks a model, a server or a person ends, and a child. */
  goes: 'well' | 'badly' | 'nowhere';
}

const trials: Trial[] = [
  { code: 0, out: '', err: '', goes: 'well' },
  { code: 0, out: 'PRINTED', err: 'COMPLAINED', goes: 'nowhere' },
  { code: 1, out: 'PRINTED', err: 'COMPLAINED', goes: 'badly' },
  { code: 2, out: '', err: 'COMPLAINED', goes: 'badly' },
  { code: 2, out: 'PRINTED', err: '', goes: 'well' },
  { code: 7, out: '', err: '', goes: 'nowhere' },
  { code: 0, out: '{"decision":"block","reason":"REASON"}', err: '', goes: 'badly' },
];
/** To a format that reads no answers they are texts, as the last one is. */
const answers: Trial[] = [
  { code: 0, out: '{"continue":false,"stopReason":"REASON"}', err: '', goes: 'well' },
  {
    ...{ code: 0, err: '', goes: 'well' },
    out: '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"REASON"}}',
  },
  { code: 0, out: '{"hookSpecificOutput":{"additionalContext":"REASON"}}', err: '', goes: 'well' },
  { code: 0, out: '{"decision":', err: '', goes: 'well' },
];

function outcomeOf(action: HookDefinition['action'], { goes }: Trial): ActionOutcome {
  const isWell = goes === 'well';
  if (goes === 'nowhere') return { kind: 'not-started', reason: 'gone' };
  if (action.kind === 'spawn') return { kind: 'child-finished', succeeded: isWell, output: 'PRINTED' };
  if (action.kind !== 'webhook') return { kind: 'judged', ok: isWell, reason: isWell ? '' : 'REASON' };
  if (!action.approval) return { kind: 'replied', status: isWell ? 200 : 500, body: '' };
  return { kind: 'answered', action: isWell ? 'approve' : 'reject', message: 'REASON', response: {} };
}

const answering = new Set(['babysitter', 'claude']);

const words = ['PRINTED', 'COMPLAINED', 'REASON'];

const calls: Omit<HookEvent, 'name'>[] = [
  { tool: 'Bash', input: { command: 'git commit -m x' }, file: 'src/a.ts', iteration: 10, stage: 'plan', session: 's' },
  { tool: 'write_file', input: { file_path: 'docs/b.md' }, file: 'docs/b.md', iteration: 7, agent: 'gemini' },
  { tool: 'NotebookEdit', input: {}, file: '-x.py', role: 'planner', error: 'rate_limit', extra: { source: 'clear' } },
  { tool: 'mcp__a__write', input: {}, iteration: 1, stage: 'work', taskId: '7', content: "it's", nextStage: 'deploy' },
];

let made = 0;

interface Copy {
  project: string;
  env: Record<string, string>;
}

function copyOf({ project, home }: Case): Copy {
  made += 1;
  const folder = join(base, `case-${made}`);
  mkdirSync(join(folder, 'project/.git'), { recursive: true });
  mkdirSync(join(folder, 'home'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  if (existsSync(project)) cpSync(project, join(folder, 'project'), { recursive: true, verbatimSymlinks: true });
  if (existsSync(home)) cpSync(home, join(folder, 'home'), { recursive: true, verbatimSymlinks: true });
  const env = { HOME: join(folder, 'home'), PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  for (const hook of loadHooks({ cwd: join(folder, 'project'), env }).hooks) standIn(hook, folder);
  return { project: join(folder, 'project'), env };
}

/** Makes every program that a command names, and that is not there, a script that does as the trial says. */
function standIn({ action, unavailable }: HookDefinition, folder: string): void {
  if (action.kind !== 'shell' || unavailable !== undefined) return;
  if (action.run.via === 'exec' && existsSync(action.run.file)) {
    // Of the fixtures' scripts many do nothing at all.
    const isEmpty = /^#!\/bin\/sh\n(cat > \/dev\/null\necho '\{"ok": true\}'|exit 0)\n$/;
    if (isEmpty.test(readFileSync(action.run.file, 'utf8'))) writeFileSync(action.run.file, script);
    return;
  }
  const words = action.command.split(/&&|\|\||[;|\n{}]/).map(part => part.trim().split(/\s+/)[0]!);
  for (const word of words.filter(name => /^[\w./-]+$/.test(name))) {
    const path = word.includes('/') ? join(folder, 'project', word) : join(folder, 'bin', word);
    if (existsSync(path) || keywords.has(word) || word.startsWith('/')) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script);
    chmodSync(path, 0o755);
  }
}

const keywords = new Set('set for do done if then fi test echo printf cat sort exit true sh bash first'.split(' '));
const script = `#!/bin/sh
cat > /dev/null
if [ -n "$TRIAL_SLEEP" ]; then sleep 5; fi
printf %s "$TRIAL_OUT"
printf %s "$TRIAL_ERR" >&2
exit "$TRIAL_CODE"
`;

interface Fired {
  decision: string;
  told: string[];
}

const loadedFrom = ({ project, env }: Copy) => ({ ...loadHooks({ cwd: project, env }), env });

async function fireAll(
  loaded: ReturnType<typeof loadedFrom>,
  trial: Trial,
  events: readonly HookEvent[],
  shorter?: number,
): Promise<Fired[]> {
  const env = { ...loaded.env, TRIAL_OUT: trial.out, TRIAL_ERR: trial.err, TRIAL_CODE: String(trial.code) };
  const slow = shorter === undefined ? env : { ...env, TRIAL_SLEEP: '1' };
  // What no one waits for decides nothing.
  const awaited = loaded.hooks.filter(({ wait }) => wait);
  const bounded = awaited.map(hook => ({ ...hook, timeoutMs: shorter ?? hook.timeoutMs }));
  const given = async (action: HookDefinition['action']): Promise<ActionOutcome> => outcomeOf(action, trial);
  const actions: ActionRunners = { webhook: given, spawn: given, prompt: given, agent: given, judge: given };
  const unretried = bounded.map(({ retry: _, ...hook }) => hook);
  const results: Fired[] = [];
  for (const event of events) {
    const engine = composeEngine({ hooks: unretried, places: loaded.places, env: slow, actions, mask: text => text });
    results.push(shownResult(await engine.fire(event)));
    await engine.settle();
  }
  return results;
}

function shownResult({ decision, feedback }: EventResult): Fired {
  const kind = decision.kind === 'block' && decision.ask ? 'ask' : decision.kind;
  const told = `${feedback}\n${decision.kind === 'proceed' ? '' : decision.reason}`;
  return { decision: kind, told: words.filter(word => told.includes(word)) };
}

function migrated(copy: Copy) {
  const where = { cwd: copy.project, env: copy.env };
  return [false, true].map(user => {
    const plan = planMigration(where, { user, remove: true });
    if (plan.text === undefined) return { plan, taken: [] };
    expect(writeMigration(plan)).toEqual({ kind: 'written' });
    return { plan, taken: takeAway(plan, where) };
  });
}

const counts: Record<string, { migrated: number; valid: number }> = {};

/** A case as it is and migrated, and how many of its hooks were. */
function prepared(one: Case) {
  const [before, after] = [copyOf(one), copyOf(one)];
  const was = check({ cwd: before.project, env: before.env }).problems.length;
  const plans = migrated(after).map(({ plan }) => plan);
  for (const plan of plans) count(plan);
  const { hooks } = loadHooks({ cwd: before.project, env: before.env });
  const names = [...new Set(hooks.map(({ event }) => event))];
  const readsAnswers = hooks.some(({ source }) => answering.has(source.dialect));
  return {
    name: one.name,
    before,
    after,
    was,
    names,
    readsAnswers,
    isWritten: plans.some(({ text }) => text !== undefined),
  };
}

function count({ written, left }: Migration): void {
  const runnable = left.filter(({ hook }) => !hook.disabled && !hook.unavailable && !isOfPipeline(hook));
  for (const { hook } of [...written, ...runnable]) {
    const known = counts[hook.source.dialect] ?? { migrated: 0, valid: 0 };
    const isMigrated = written.some(one => one.hook === hook);
    counts[hook.source.dialect] = { migrated: known.migrated + Number(isMigrated), valid: known.valid + 1 };
  }
}

const isOfPipeline = ({ source }: HookDefinition): boolean => source.scope === 'pipeline' || source.scope === 'stage';

const cases = [...fixtures, ...examples, ofUser].map(prepared).filter(({ isWritten }) => isWritten);

describe.each(cases)('$name, migrated', ({ before, after, was, names, readsAnswers }) => {
  /** Every call with commands that fail in every format; of the other trials each has another one. */
  const eventsOf = ({ code, out }: Trial, at: number): HookEvent[] => {
    const some = code === 2 && out === '' ? calls : [calls[at % calls.length]];
    return names.flatMap(name => some.map(call => ({ ...call, name }) as HookEvent));
  };

  test('passes check', () => {
    const { problems } = check({ cwd: after.project, env: after.env });
    const ofNative = problems.filter(({ at }) => /hookloop(\.yaml|\/hooks\.yaml)$/.test(at.file));
    // A script or child that a hook names and that is not there is told of the new file now.
    const errors = ofNative.filter(
      ({ severity, message }) => severity === 'error' && !/not found|not there/.test(message),
    );
    expect(errors).toEqual([]);
    // What could not be taken out of its file is told to run twice.
    expect(problems.filter(({ message }) => !message.endsWith('so it runs twice')).length).toBeLessThanOrEqual(was);
  });

  test('decides the same and tells the agent as much, whatever its commands do', async () => {
    const both = [before, after].map(loadedFrom);
    for (const [number, trial] of [...trials, ...(readsAnswers ? answers : [])].entries()) {
      const events = eventsOf(trial, number);
      const [first, second] = await Promise.all(both.map(loaded => fireAll(loaded, trial, events)));
      for (const [at, event] of events.entries()) {
        const label = `${JSON.stringify(event)} ${JSON.stringify(trial)}`;
        expect(second![at]!.decision, label).toBe(first![at]!.decision);
        expect(second![at]!.told, label).toEqual(expect.arrayContaining(first![at]!.told));
      }
    }
  }, 120_000);
});

describe('commands that take too long', () => {
  test.each(['nyzhi/all-events', 'claude/every-event', 'iteratr/seed-config', 'sauna/list-of-commands'])(
    'of %s mean the same',
    async name => {
      const one = fixtures.find(fixture => fixture.name === name)!;
      const [before, after] = [copyOf(one), copyOf(one)];
      migrated(after);
      const both = [before, after].map(loadedFrom);
      const names = [...new Set(both[0]!.hooks.map(({ event }) => event))];
      const events = names.map(event => ({ ...calls[0], name: event, stage: 'work' }) as HookEvent);
      const [first, second] = await Promise.all(both.map(loaded => fireAll(loaded, trials[1]!, events, 60)));
      expect(second!.map(({ decision }) => decision)).toEqual(first!.map(({ decision }) => decision));
    },
    60_000,
  );
});

test('at least nine of ten valid hooks of all formats are migrated', () => {
  const sum = (key: 'migrated' | 'valid'): number => Object.values(counts).reduce((all, one) => all + one[key], 0);
  expect(Object.keys(counts).sort()).toEqual([...formats].sort());
  expect(sum('valid')).toBeGreaterThan(180);
  expect(sum('migrated') / sum('valid'), JSON.stringify(counts)).toBeGreaterThanOrEqual(0.9);
  if (process.env['SHOW_COUNTS']) console.log(counts);
});

test('the old files are gone, and what stands beside their hooks is as it was', () => {
  const one = fixtures.find(({ name }) => name === 'claude/every-event')!;
  const copy = copyOf(one);
  const path = join(copy.project, '.claude/settings.json');
  const before = JSON.parse(readFileSync(path, 'utf8'));
  migrated(copy);
  const after = JSON.parse(readFileSync(path, 'utf8'));
  expect(after).toMatchObject({ permissions: before.permissions, env: before.env });
  expect(Object.keys(after.hooks).sort()).toEqual(['PermissionRequest', 'PreCompact']);
});
