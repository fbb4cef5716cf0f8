import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests, diary, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const stop = `echo '{"decision":"stop"}' > "$STATUS"`;
const goOn = `echo '{"decision":"continue"}' > "$STATUS"`;

/** Why each stage ended, and after how many iterations. */
const stagesOf = (ran: ReturnType<Project['run']>) => {
  const summary = noticesOf(ran).find(notice => notice.type === 'session.summary');
  return summary?.type === 'session.summary'
    ? summary.stages.map(({ stage, status, iterations, reason }) => [stage, status, iterations, reason])
    : [];
};

test('a pipeline goes through fixed and judgment stages, hands outputs on and fills every variable', () => {
  const project = bundled.project({
    ...diary({
      1: stop,
      2: 'echo own words > .hookloop/sessions/s/stage-00-gather/iterations/002/output.md',
      4: stop,
      6: stop,
      7: stop,
    }),
    'pipelines/release.yaml': `
name: release
stages:
  - name: gather
    runs: 2
    perspectives: [security, speed, taste]
    prompt: |
      p=\${PERSPECTIVE} s=\${SESSION} \${SESSION_NAME} st=\${STAGE} i=\${ITERATION}/\${MAX_ITERATIONS} x=\${INDEX} set=\${INPUTS.who} json=\${INPUTS.deep}
      c=\${CTX}
      t=\${STATUS}
      g=\${PROGRESS}|\${PROGRESS_FILE}
      o=\${OUTPUT}|\${OUTPUT_PATH}
      stays: \${UNKNOWN} $HOME \${INPUTS.nothing}
  - name: judge
    inputs: { from: gather, select: all }
    termination: { type: judgment, min_iterations: 3, consensus: 2, max: 9 }
    prompt: "read \${INPUTS.gather}"
  - name: last
    loop: polish
    inputs: { from: [gather, judge] }
`,
    'loops/polish/loop.yaml': 'name: polish\ntermination: { type: fixed, max: 1 }\n',
    'loops/polish/prompt.md': 'polish ${INPUTS.gather}\n',
    'values.json': '{"who":"file","deep":{"a":[1]}}',
  });
  const ran = project.talk(['release', '--input', 'values.json', '--set', 'who=me=you', '--json']);
  expect([ran.stderr, ran.exit]).toEqual(['', 0]);
  expect(stagesOf(ran)).toEqual([
    ['gather', 'completed', 2, 'max_iterations'],
    ['judge', 'completed', 5, 'consensus'],
    ['last', 'completed', 1, 'max_iterations'],
  ]);
  const folder = project.pathOf('.hookloop/sessions/s');
  const output = (stage: string, n: number) => `${folder}/${stage}/iterations/00${n}/output.md`;
  const gathered = [1, 2].map(n => output('stage-00-gather', n));
  const heard = project.heard();
  expect(new Set(heard.map(({ conversation }) => conversation)).size).toBe(8);
  expect(heard[1]!.text).toBe(`p=speed s=s s st=gather i=2/2 x=1 set=me=you json={"a":[1]}
c=${folder}/current/context.json
t=${folder}/current/status.json
g=${folder}/progress.md|${folder}/progress.md
o=${gathered[1]}|${gathered[1]}
stays: \${UNKNOWN} $HOME \${INPUTS.nothing}
`);
  expect(heard[2]!.text).toBe(`read ${gathered.join('\n')}`);
  expect(heard[7]!.text).toBe(`polish ${gathered[1]}\n`);
  expect(project.read(`.hookloop/sessions/s/stage-00-gather/iterations/001/output.md`)).toBe('answer 1');
  expect(project.read(`.hookloop/sessions/s/stage-00-gather/iterations/002/output.md`)).toBe('own words\n');
  expect(JSON.parse(project.read('.hookloop/sessions/s/stage-01-judge/iterations/002/context.json'))).toEqual({
    session: 's',
    pipeline: 'release',
    stage: { id: 'judge', index: 1, template: 'inline' },
    iteration: 2,
    paths: {
      session_dir: folder,
      stage_dir: `${folder}/stage-01-judge`,
      progress: `${folder}/progress.md`,
      output: output('stage-01-judge', 2),
      status: `${folder}/current/status.json`,
    },
    inputs: {
      from_stage: { gather: gathered },
      from_previous_iterations: [output('stage-01-judge', 1)],
      values: { who: 'me=you', deep: { a: [1] } },
    },
    limits: { max_iterations: 9, remaining_seconds: null },
  });
  expect(JSON.parse(project.read('.hookloop/sessions/s/stage-01-judge/iterations/005/status.json'))).toEqual({
    decision: 'stop',
  });
  expect(project.read('.hookloop/sessions/s/stage-02-last/iterations/001/prompt.md')).toBe(`polish ${gathered[1]}\n`);
  expect(project.read('.hookloop/.gitignore')).toContain('/sessions/');
});

test('the agent finds its iteration in its environment, and what one decided is not taken for the next', () => {
  const project = bundled.project({
    ...diary({
      0:
        'echo "$SESSION $STAGE $ITERATION $MAX_ITERATIONS $HOOKLOOP_SESSION $(test -e "$STATUS" && echo old)" >> ~/env; echo "note $ITERATION" >> "$PROGRESS"; grep -c . "$CTX" > /dev/null && ' +
        stop,
    }),
    'loop.yaml': 'termination: { type: judgment, consensus: 3, max: 2 }\nprompt: judge this\nname: lone\n',
  });
  const ran = project.talk(['./loop.yaml', '--json']);
  expect([ran.stderr.replace(/.*the stage always ends.*\n(.*\n)*/, ''), ran.exit]).toEqual(['', 0]);
  expect(stagesOf(ran)).toEqual([['lone', 'completed', 2, 'max_iterations']]);
  expect(project.lines('~/env')).toEqual(['s lone 1 2 s ', 's lone 2 2 s ']);
  expect(project.read('.hookloop/sessions/s/progress.md')).toBe('# Progress of s\n\nnote 1\nnote 2\n');
});

test('a status that cannot be understood fails the iteration, and a failed stage ends the pipeline', () => {
  const project = bundled.project({
    ...diary({ 1: `echo '{"decision":"maybe"}' > "$STATUS"` }),
    'p.yaml': 'stages: [{ name: one, prompt: do one }, { name: two, prompt: do two }]\n',
    'hookloop.yaml': `
hooks:
  on_error: [{ type: shell, await: true, command: 'echo "$STAGE $ITERATION: $ERROR" > ~/error' }]
  session.failed: [{ type: shell, await: true, command: 'echo failed >> ~/ends' }]
  session.completed: [{ type: shell, await: true, command: 'echo completed >> ~/ends' }]
  session.ended: [{ type: shell, await: true, command: 'echo ended >> ~/ends' }]
`,
  });
  const ran = project.talk(['p.yaml', '--json']);
  expect(ran.exit).toBe(1);
  expect(stagesOf(ran)).toMatchObject([
    ['one', 'failed', 1, undefined],
    ['two', 'skipped', 0, undefined],
  ]);
  expect(project.lines('~/error')).toEqual([
    'one 1: status.json has the decision "maybe", which is not one of continue, stop, error',
  ]);
  expect(project.lines('~/ends')).toEqual(['failed', 'ended']);
  expect(project.heard()).toHaveLength(1);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'failed' });
});

test('hooks run in the order stage, pipeline, project, user, and the last events in theirs', () => {
  const say = (who: string, how = '') =>
    `[{ type: shell, await: true, command: 'echo ${who} $HOOK $STAGE $ITERATION $LAST_DECISION "$CHANGED_FILES" >> ~/order' ${how}}]`;
  const points = (who: string) =>
    ['on_session_start', 'on_iteration_start', 'on_iteration_complete', 'on_stage_complete', 'on_session_complete']
      .map(point => `  ${point}: ${say(`${who}:${point}`)}\n`)
      .join('');
  const files = {
    ...diary({ 0: 'echo x > made-$ITERATION.txt' }),
    'p.yaml': `stages:\n  - { name: a, loop: one }\n  - { name: b, prompt: do b }\nhooks:\n${points('pipeline')}`,
    'loops/one.yaml': `prompt: do one\ntermination: { type: fixed, iterations: 1 }\nhooks:\n${points('stage')}`,
    'hookloop.yaml': `hooks:\n${points('project')}`,
    '~/.config/agent-pipelines/hooks.yaml': `hooks:\n${points('user')}`,
  };
  const project = bundled.project(files);
  expect(project.talk(['p.yaml']).exit).toBe(0);
  const order = project.lines('~/order').map(line => line.trim().replaceAll(/ +/g, ' '));
  const all = ['stage', 'pipeline', 'project', 'user'];
  const at = (point: string, rest: string, who = all) => who.map(each => `${each}:${point} ${rest}`.trim());
  const inB = all.slice(1);
  expect(order).toEqual([
    ...at('on_session_start', ''),
    ...at('on_iteration_start', 'a 1'),
    ...at('on_iteration_complete', 'a 1 continue made-1.txt'),
    ...at('on_stage_complete', 'a 1 continue made-1.txt'),
    ...at('on_iteration_start', 'b 1', inB),
    ...at('on_iteration_complete', 'b 1 continue made-1.txt', inB),
    ...at('on_stage_complete', 'b 1 continue made-1.txt', inB),
    ...at('on_session_complete', 'b 2 continue'),
  ]);
  const without = bundled.project({
    ...files,
    'loops/one.yaml': `${files['loops/one.yaml']}disable_global_hooks: true\n`,
  });
  expect(without.talk(['p.yaml']).exit).toBe(0);
  const users = without.lines('~/order').filter(line => line.startsWith('user:'));
  expect(users.map(line => line.split(' ')[0])).toEqual(
    ['on_session_start', 'on_iteration_start', 'on_iteration_complete', 'on_stage_complete', 'on_session_complete'].map(
      point => `user:${point}`,
    ),
  );
  expect(users.filter(line => / a( |$)/.test(line))).toEqual([]);
});

test('an iteration waits for its delay, and --agent goes before what files say', () => {
  const project = bundled.project({
    ...diary({ 0: 'date +%s%N >> ~/times' }),
    'p.yaml':
      'agent: "command:false"\nstages: [{ name: a, runs: 3, delay: 0.4, agent: "command:false", prompt: do a }]\n',
  });
  const ran = project.talk(['p.yaml', '--max-iterations', '2']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [first, second, third] = project.lines('~/times').map(time => Number(time) / 1e6);
  expect(second! - first!).toBeGreaterThan(390);
  expect(third).toBeUndefined();
});

test('without --agent the stage, then the pipeline, then hookloop.yaml says which agent works', () => {
  const project = bundled.project({
    'p.yaml':
      'agent: "command:echo of the pipeline"\nstages: [{ name: a, agent: "command:echo of the stage", prompt: do a }, { name: b, prompt: do b }]\n',
    'loop.yaml': 'prompt: do it\ntermination: { type: fixed, iterations: 1 }\n',
    'hookloop.yaml': 'agent: "command:echo of the project"\n',
  });
  const said = (session: string, stage: string) =>
    project.read(`.hookloop/sessions/${session}/${stage}/iterations/001/output.md`);
  expect(project.run(['run', 'p.yaml', '--session', 'one', '--quiet']).exit).toBe(0);
  expect([said('one', 'stage-00-a'), said('one', 'stage-01-b')]).toEqual(['of the stage', 'of the pipeline']);
  expect(project.run(['run', './loop.yaml', '--session', 'two', '--quiet']).exit).toBe(0);
  expect(said('two', 'stage-00-project')).toBe('of the project');
});

test('nodes: are stages too, and goOn does not end a judgment stage before its maximum', () => {
  const project = bundled.project({
    ...diary({ 0: goOn }),
    'p.yaml': 'nodes: [{ id: n, prompt: do n, termination: { type: judgment, max: 3 } }]\n',
  });
  expect(stagesOf(project.talk(['p.yaml', '--json']))).toEqual([['n', 'completed', 3, 'max_iterations']]);
});

test.each([
  ['an unknown variable in when', '{ type: shell, when: "ITERATON > 1", command: "true" }', 'ITERATON'],
  ['an unknown type', '{ type: shel, command: "true" }', 'shel'],
  ['a child that does not exist', '{ type: spawn, pipeline: nowhere }', 'no pipeline "nowhere"'],
])('a hook of the pipeline with %s stops everything before it begins', (_, hook, told) => {
  const project = bundled.project({
    ...diary(),
    'p.yaml': `stages: [{ name: work, prompt: do it }]\nhooks: { on_iteration_complete: [${hook}] }\n`,
  });
  const ran = project.talk(['p.yaml']);
  expect([ran.exit, project.heard(), existsSync(project.pathOf('.hookloop'))]).toEqual([78, [], false]);
  expect(ran.stderr).toContain(told);
  expect(ran.stderr).toMatch(/^p\.yaml:2:\d+: error: /m);
  expect(project.talk(['p.yaml', '--no-hooks']).exit).toBe(0);
});
