import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChecklist } from '../../src/session/checklist.ts';
import { createFileStore } from '../../src/session/file-store/file-store.ts';
import { foldTask, isTaskRecord, newTasks } from '../../src/session/tasks.ts';
import { readTasksAtRest } from '../../src/session/tasks-at-rest.ts';
import { bundleForTests, diary, diaryAgent, type Project } from './project.ts';

const bundled = await bundleForTests();

/** How many lives of a checklist are tried; each is a handful of real processes. Long runs: HOOKLOOP_DONE_RUNS=500. */
const runs = Number(process.env['HOOKLOOP_DONE_RUNS'] ?? 8);

/** The same lives each time, so that a failure is never a matter of luck; long runs draw their own. */
const seed = process.env['HOOKLOOP_DONE_RUNS'] === undefined ? { seed: 9 } : {};

const names = ['one', 'two', 'three'] as const;
type Name = (typeof names)[number];

/** What the agent does in one turn, and how the turn ends. */
interface Turn {
  ticks: readonly Name[];
  unticks: readonly Name[];
  marks: readonly Name[];
  /** As a hook says it that did the task itself. */
  posts: readonly Name[];
  /** A task of its own, which it says is done at once. */
  adds: boolean;
  ends: 'well' | 'badly' | 'killed';
}

interface Life {
  /** The first turns are a planner's, for whom no gate runs. */
  planning: number;
  /** They work on the tasks then, for whatever turns it takes. */
  plansQueue: boolean;
  turns: readonly Turn[];
  /** What the gate says, asked by asked; then it passes everything. */
  gate: readonly ('pass' | 'refuse' | 'die')[];
  /** What a person does whenever a process has ended before everything was done. */
  goesOn: readonly { how: 'resume' | 'anew'; ticks: readonly Name[] }[];
  maxFailures: number;
  maxRetries: number;
}

const some = fc.subarray([...names]);
const none = fc.constant<Name[]>([]);
const atMostOne = fc.oneof({ weight: 4, arbitrary: none }, fc.subarray([...names], { maxLength: 1 }));
const turn: fc.Arbitrary<Turn> = fc
  .record({
    ticks: some,
    unticks: fc.oneof({ weight: 3, arbitrary: none }, some),
    marks: atMostOne,
    posts: atMostOne,
    adds: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    ends: fc.oneof(
      { weight: 4, arbitrary: fc.constant('well' as const) },
      { weight: 2, arbitrary: fc.constant('badly' as const) },
      fc.constant('killed' as const),
    ),
  })
  // Both in one turn leave no trace that anyone could see.
  .map(({ unticks, ...rest }) => ({ ...rest, unticks: unticks.filter(name => !rest.ticks.includes(name)) }));

const life: fc.Arbitrary<Life> = fc.record({
  planning: fc.integer({ min: 0, max: 2 }),
  plansQueue: fc.boolean(),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  gate: fc.array(fc.constantFrom('pass', 'pass', 'refuse', 'refuse', 'die'), { maxLength: 6 }),
  goesOn: fc.array(
    fc.record({ how: fc.constantFrom('resume', 'anew'), ticks: fc.oneof({ weight: 2, arbitrary: none }, some) }),
    { minLength: 1, maxLength: 3 },
  ),
  maxFailures: fc.integer({ min: 1, max: 3 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
});

const tick = (name: Name): string =>
  `grep -q '\\[ \\] ${name}$' tasks.md && echo 'tick ${name}' >> ~/log && sed -i 's/\\[ \\] ${name}$/[x] ${name}/' tasks.md`;
const untick = (name: Name): string => `sed -i 's/\\[x\\] ${name}$/[ ] ${name}/' tasks.md`;
/** What counts as a word where gates were asked is a claim where they were not: a word once they have passed. */
const say = (name: string, how: string): string =>
  `id=$(~/hookloop task list --json | tr -d '\\n' | grep -o '"id": "[^"]*", *"content": "${name}"' | cut -d'"' -f4)
[ -n "$id" ] && ~/hookloop task ${how} > /dev/null 2>&1 && if [ "$STAGE" = plan ]; then echo 'claim ${name}'; else echo 'word ${name}'; fi >> ~/log`;
const mark = (name: string): string => say(name, 'done "$id"');
const post = (name: string): string => say(name, 'post "$id" --status ok');
const ownOf = (at: number): string => `own${at}`;
const endings = { well: 'true', badly: 'exit 3', killed: 'kill -9 $PPID; exit 3' };

const script = ({ ticks, unticks, marks, posts, adds, ends }: Turn, at: number): string =>
  [
    ...unticks.map(untick),
    ...marks.map(mark),
    ...posts.map(post),
    ...(adds ? [`~/hookloop task add ${ownOf(at)} > /dev/null`, mark(ownOf(at))] : []),
    ...ticks.map(tick),
    endings[ends],
  ].join('\n');

/** For as long as anything is left to do. */
const lastScript = (turns: readonly Turn[]): string =>
  [...names.map(tick), ...turns.flatMap(({ adds }, at) => (adds ? [mark(ownOf(at))] : []))].join('\n');

const pipeline = (planning: number, plansQueue: boolean): string => `stages:
${planning === 0 ? '' : `  - { name: plan, prompt: think first, termination: { type: ${plansQueue ? 'queue, max: 20' : `fixed, iterations: ${planning}`} } }\n`}  - { name: build, prompt: build it, termination: { type: queue, max: 20 } }
`;

const gateScript = (verdicts: Life['gate']): string => `
echo asked >> ~/asked
case $(wc -l < ~/asked) in
${verdicts.map((verdict, at) => `${at + 1}) verdict=${verdict};;`).join('\n')}
*) verdict=pass;;
esac
[ $verdict = die ] && { kill -9 $PPID; sleep 60; }
echo "$verdict $HOOK_TASK_CONTENT" >> ~/log
[ $verdict = pass ]
`;

/** What counts as done, by the last session's record, and what is ticked in the file. */
async function lookAt(project: Project, session: string): Promise<{ done: string[]; ticked: string[] }> {
  const store = createFileStore({ root: project.pathOf('.'), state: undefined, cache: undefined });
  const tasks = await readTasksAtRest(store, session);
  const isClaim = (id: string): boolean => {
    const record = newTasks();
    for (const entry of project.journal(session)) if (isTaskRecord(entry)) foldTask(record, entry);
    return record.unchecked.has(id);
  };
  const list = readChecklist(project.pathOf('tasks.md'));
  return {
    done:
      tasks.kind === 'tasks'
        ? tasks.tasks.flatMap(({ id, content, status }) => (status === 'done' && !isClaim(id) ? [content] : []))
        : [],
    ticked: list.kind === 'checklist' ? list.tasks.flatMap(({ content, ticked }) => (ticked ? [content] : [])) : [],
  };
}

/**
 * Whether the gates passed a task after its last tick, and have not refused it since. One that passed because it was
 * marked as done is done whether or not its box is ticked later, until a session begins that finds it open.
 */
function isProven(log: readonly string[], name: string): boolean {
  const last = (what: string): number => log.lastIndexOf(`${what} ${name}`);
  const isMarked = Math.max(last('word'), last('claim')) > Math.max(last('open'), last('refuse'));
  const passed = last('pass') > Math.max(last('refuse'), last('claim'));
  return name === 'before' || (passed && (isMarked || last('pass') > last('tick')));
}

test(
  'whatever agents, gates, crashes and people do, a task counts as done only where its gates passed since it was ticked',
  () => {
    return fc.assert(
      fc.asyncProperty(life, async ({ planning, plansQueue, turns, gate, goesOn, maxFailures, maxRetries }) => {
        const project = bundled.project({
          ...diary(Object.fromEntries(turns.map((one, at) => [at + 1, script(one, at)]))),
          '~/turn-0.sh': lastScript(turns),
          'p.yaml': pipeline(planning, plansQueue),
          '~/gate.sh': gateScript(gate),
          '.sauna/hooks.json': '["sh ~/gate.sh"]',
          'tasks.md': ['- [x] before', ...names.map(name => `- [ ] ${name}`), ''].join('\n'),
        });
        const limits = ['--max-failures', String(maxFailures), '--max-retries', String(maxRetries)];
        const begin = async (session: string) => {
          const { ticked } = await lookAt(project, session);
          for (const name of names)
            if (!ticked.includes(name)) appendFileSync(project.pathOf('~/log'), `open ${name}\n`);
          return project.run([
            'run',
            'p.yaml',
            '--agent',
            diaryAgent,
            '--tasks',
            'tasks.md',
            '--session',
            session,
            ...limits,
          ]);
        };
        let session = 's0';
        let ran = await begin(session);
        for (let life = 0; ; life += 1) {
          const { done, ticked } = await lookAt(project, session);
          const log = project.lines('~/log');
          const told = { session, exit: ran.exit, stderr: ran.stderr, log };
          expect([told, done.filter(name => !isProven(log, name))]).toEqual([told, []]);
          if (ran.exit === 0)
            expect([told, ['before', ...names].filter(name => !done.includes(name))]).toEqual([told, []]);
          if (ran.exit === 0 || ran.exit === 1)
            expect([told, ticked.filter(name => !isProven(log, name))]).toEqual([told, []]);
          if (ran.exit === 0) return;
          // By then every script is used up, and whoever is patient gets to the end.
          if (life > 20) throw new Error(`no end: ${JSON.stringify(told)}`);
          const { how, ticks } = goesOn[life] ?? { how: 'resume', ticks: [] };
          for (const name of ticks) project.run([], { shell: tick(name) });
          if (how === 'anew') session = `s${life + 1}`;
          ran = how === 'anew' ? await begin(session) : project.run(['resume', session]);
        }
      }),
      { numRuns: runs, ...seed },
    );
  },
  60_000 + runs * 20_000,
);
