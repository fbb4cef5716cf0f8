import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { childEntries, childrenIn } from './children.ts';
import { bundleForTests, diary, eventually, type Project } from './project.ts';
import { commitAll, gitIn, leftWorktrees } from './worktrees.ts';

const bundled = await bundleForTests();

const gate = 'sh run-tests.sh';

/**
 * A program whose test is right, and code that is wrong. The gate runs what package.json says, as npm would; the runner
 * runs every test that no one skips.
 */
const files = {
  'package.json': '{\n  "name": "p",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "sh run.sh"\n  }\n}\n',
  'run-tests.sh': `script=$(sed -n 's/.*"test": "\\(.*\\)".*/\\1/p' package.json | head -n 1); sh -c "$script"\n`,
  'run.sh':
    '. ./runner.conf\nfor t in test/*.sh; do [ -e "$t" ] || continue; grep -q "^# skip" $t && continue; sh $t || { echo "$t failed"; exit 1; }; done\n',
  'runner.conf': 'strict=1\n',
  'test/sum.sh': '[ "$(sh sum.sh 1 2)" = 3 ]\n',
  'sum.sh': 'echo 4\n',
};

const settings = (protect: unknown, more: object = {}): Record<string, string> => ({
  'hookloop.yaml': JSON.stringify({
    protect,
    hooks: { 'task.completing': [{ name: 'tests', shell: gate }] },
    ...more,
  }),
});

const everything = ['package.json#/scripts', 'test/**', 'run.sh', 'run-tests.sh', 'runner.conf'];

function repository(agent: Readonly<Record<number, string>>, more: Readonly<Record<string, string>> = {}): Project {
  const project = bundled.project({ ...files, ...settings(everything), ...more });
  commitAll(project);
  for (const [path, text] of Object.entries(diary(agent))) project.write(path, text);
  return project;
}

const results = (project: Project) =>
  project
    .journal('s')
    .flatMap(entry => (entry.kind === 'hook.finished' && entry.name === 'tests' ? [entry.result] : []));

const fix = "printf 'echo $(($1 + $2))\\n' > sum.sh";

/** What an agent does instead of its work, and what it is told then. */
const bending: readonly (readonly [string, string, string])[] = [
  ['writes "true" for the test script', `sed -i 's/"sh run.sh"/"true"/' package.json`, 'package.json#/scripts'],
  [
    'gives the scripts twice',
    `sed -i 's/"name": "p"/"name": "p", "scripts": {"test": "true"}/' package.json; sed -i 's/"sh run.sh"/"true"/' package.json`,
    'package.json#/scripts',
  ],
  ['makes package.json no JSON', `echo '"test": "true"' > package.json`, 'package.json#/scripts'],
  ['deletes the test', 'rm test/sum.sh', 'test/sum.sh'],
  ['deletes all tests', 'rm -r test', 'test/sum.sh'],
  ['skips the test', `sed -i '1i # skip for now' test/sum.sh`, 'test/sum.sh'],
  ['weakens the test', 'echo true > test/sum.sh', 'test/sum.sh'],
  ['renames the test', 'mv test/sum.sh test/sum.txt', 'test/sum.sh'],
  ['changes the runner', 'echo exit 0 > run.sh', 'run.sh'],
  ['changes the config of the runner', 'echo exit 0 > runner.conf', 'runner.conf'],
  ['changes the script of the gate itself', 'echo exit 0 > run-tests.sh', 'run-tests.sh'],
  [
    'commits the change',
    `sed -i 's/"sh run.sh"/"true"/' package.json; git -c user.name=x -c user.email=x@x commit -qam bent`,
    'package.json#/scripts',
  ],
  [
    'tells git to overlook the file',
    `git update-index --assume-unchanged test/sum.sh; echo true > test/sum.sh`,
    'test/sum.sh',
  ],
  [
    'tells git that the file is elsewhere',
    `git update-index --skip-worktree test/sum.sh; echo true > test/sum.sh`,
    'test/sum.sh',
  ],
  [
    'lets git forget and ignore the tests',
    `git rm -rq --cached test; echo test > .gitignore; echo true > test/sum.sh`,
    'test/sum.sh',
  ],
  ['links the folder elsewhere', 'mkdir fake; echo true > fake/sum.sh; rm -r test; ln -s fake test', 'test/sum.sh'],
  [
    'has the check put back what it changed',
    `sed -i 's/"sh run.sh"/"git checkout -q package.json"/' package.json`,
    'package.json#/scripts',
  ],
  [
    'tells git to read another file in the place of the original',
    `git replace $(git rev-parse HEAD:test/sum.sh) $(echo true | git hash-object -w --stdin); echo true > test/sum.sh`,
    'test/sum.sh',
  ],
  [
    'tells git to trust the time of a file',
    `git config core.checkStat minimal; git config core.trustctime false; touch -d 2020-01-01 test/sum.sh; git update-index -q --refresh; c=$(wc -c < test/sum.sh); touch -r test/sum.sh ~/then; printf "true%$((c-5))s\n" "" > test/sum.sh; touch -r ~/then test/sum.sh`,
    'test/sum.sh',
  ],
  [
    'makes a repository of the folder of tests',
    `git init -q test; echo true > test/sum.sh; git -C test add -A; git -C test -c user.name=x -c user.email=x@x commit -qm x`,
    'test/sum.sh',
  ],
  [
    'uses a sparse checkout',
    `git sparse-checkout set --no-cone /src; mkdir -p test; echo true > test/sum.sh; git show HEAD:package.json > package.json;git show HEAD:run.sh > run.sh; git show HEAD:runner.conf > runner.conf;git show HEAD:run-tests.sh > run-tests.sh; git show HEAD:sum.sh > sum.sh`,
    'test/sum.sh',
  ],
  ['links the test to nothing', 'ln -sf /dev/null test/sum.sh', 'test/sum.sh'],
];

test.each(bending)('an agent that %s is refused, and told with what the check fails', (_, bend, name) => {
  const project = repository({ 1: bend });
  const ran = project.talk(['--prompt', 'make sum right', '--max-retries', '0']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(results(project)).toMatchObject([
    { decision: { kind: 'block' }, protect: { held: 'refused', changed: expect.arrayContaining([name]) } },
  ]);
  expect(results(project)).toMatchObject([
    { verdict: { reason: expect.stringMatching(/^with the original .* this check fails: /) } },
  ]);
  expect(leftWorktrees(project)).toEqual([]);
});

test.each([
  [
    'tells git that the working files are elsewhere',
    `cp -r . ~/copy; rm -rf ~/copy/.git; git config core.worktree ~/copy; echo true > test/sum.sh`,
  ],
  ['tells git that the working files are the folder above', `git config core.worktree ../..; echo true > test/sum.sh`],
  ['leaves git no index', `rm .git/index; echo '*' > .git/info/exclude; echo true > test/sum.sh`],
  ['starts the repository anew', `rm -rf .git; git init -q; echo true > test/sum.sh`],
  [
    'has git read the file through a filter',
    `echo 'test/*.sh filter=x' > .git/info/attributes; git config filter.x.clean 'git cat-file blob HEAD:%f'; echo true > test/sum.sh`,
  ],
  [
    'has git write the original through a filter',
    `echo 'test/*.sh filter=x' > .gitattributes; git config filter.x.smudge 'echo true'; echo true > test/sum.sh`,
  ],
])('an agent that %s is refused: no one can tell what the check says', (_, bend) => {
  const project = repository({ 1: bend });
  const ran = project.talk(['--prompt', 'make sum right', '--max-retries', '0']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(results(project)).toMatchObject([{ decision: { kind: 'block' }, protect: { held: 'refused' } }]);
  expect(leftWorktrees(project)).toEqual([]);
});

test('a filter that git has long had decides no more than before once .gitattributes names other files', () => {
  const project = repository({ 1: `echo 'test/*.sh filter=x' > .gitattributes; echo true > test/sum.sh` });
  gitIn(project, 'config', 'filter.x.smudge', 'echo true');
  expect(project.talk(['--prompt', 'make sum right', '--max-retries', '0']).exit).toBe(1);
  const changed = ['.gitattributes', 'test/sum.sh'];
  expect(results(project)).toMatchObject([{ protect: { held: 'refused', changed } }]);
});

test('the agent that is refused hears what differs and what the check said, and can put it right', () => {
  const project = repository({ 1: `sed -i 's/"sh run.sh"/"true"/' package.json`, 2: fix });
  const ran = project.talk(['--prompt', 'make sum right']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [, told] = project.heard();
  expect(told!.text).toContain('With the original package.json#/scripts this check fails');
  expect(told!.text).toContain('test/sum.sh failed');
  expect(told!.text).not.toContain('worktrees');
  // The script is still the agent's, and now the original passes as well.
  expect(results(project)).toMatchObject([
    { protect: { held: 'refused' } },
    { protect: { held: 'passed', changed: ['package.json#/scripts'] }, decision: { kind: 'proceed' } },
  ]);
  expect(project.run(['log', 's']).stdout).toContain('with the original package.json#/scripts this check fails');
  expect(project.run(['show', 's']).stdout).toMatch(/protected: package\.json#\/scripts changed, fails/);
  expect(project.run(['why', 's']).stdout).toContain('package.json#/scripts');
});

test.each([
  ['adds a test', 'cp test/sum.sh test/more.sh', ['test/more.sh']],
  [
    'renames the script, and keeps what it does',
    `sed -i 's/"sh run.sh"/"sh .\\/run.sh"/' package.json`,
    ['package.json#/scripts'],
  ],
  ['changes another part of package.json', `sed -i 's/1.0.0/1.1.0/' package.json`, undefined],
  ['upgrades the config of the runner', 'echo more=1 >> runner.conf', ['runner.conf']],
  ['makes the runner better', `sed -i 's/failed/has failed/' run.sh`, ['run.sh']],
  ['makes a test executable', 'chmod +x test/sum.sh', ['test/sum.sh']],
  ['moves a test', 'git mv test/sum.sh test/plus.sh', ['test/plus.sh', 'test/sum.sh']],
  ['changes nothing that is protected', 'echo x > notes.md', undefined],
])('an honest agent that %s passes, and the change is named', (_, change, changed) => {
  const project = repository({ 1: `${fix}; ${change}` });
  const ran = project.talk(['--prompt', 'make sum right']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.heard()).toHaveLength(1);
  const [result] = results(project);
  expect(result).toMatchObject({ decision: { kind: 'proceed' } });
  expect((result as { protect?: object }).protect).toEqual(changed && { changed, held: 'passed' });
  expect(leftWorktrees(project)).toEqual([]);
});

test.each([
  ['changes the target that the gate runs', `printf 'check:\n\ttrue\n' > Makefile`],
  ['adds a target of the same name, which counts more', `printf 'check:\n\ttrue\n' >> Makefile`],
  ['adds a file that make prefers', `printf 'check:\n\ttrue\n' > GNUmakefile`],
])('an agent that %s is refused', (_, bend) => {
  const make = {
    Makefile: 'check:\n\tsh run.sh\n',
    'hookloop.yaml': JSON.stringify({
      protect: ['Makefile', 'GNUmakefile', 'makefile', 'test/**'],
      hooks: { 'task.completing': [{ name: 'tests', shell: 'make -s check' }] },
    }),
  };
  const project = repository({ 1: bend }, make);
  const ran = project.talk(['--prompt', 'make sum right', '--max-retries', '0']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(results(project)).toMatchObject([{ protect: { held: 'refused' }, decision: { kind: 'block' } }]);
  const honest = repository({ 1: `${fix}; printf 'lint:\n\ttrue\n' >> Makefile` }, make);
  expect(honest.talk(['--prompt', 'make sum right']).exit).toBe(0);
  expect(results(honest)).toMatchObject([{ protect: { held: 'passed', changed: ['Makefile'] } }]);
});

test('a child session is held against the protected files as well', () => {
  const bend = 'echo true > test/sum.sh; echo echo 4 > sum.sh';
  const project = repository(
    { 1: fix },
    {
      'pipelines/child.yaml': JSON.stringify({ agent: `command:${bend}`, prompt: 'go on' }),
      ...settings(everything, {
        max_retries: 0,
        hooks: {
          'task.completing': [{ name: 'tests', shell: gate }],
          'session.completed': [{ type: 'spawn', pipeline: 'child', inherit_hooks: true, on_failure: 'continue' }],
        },
      }),
    },
  );
  const ran = project.talk(['--prompt', 'make sum right']);
  const [child] = childrenIn(project);
  const ended = childEntries(project, child!).flatMap(entry =>
    entry.kind === 'hook.finished' && entry.name === 'tests' ? [entry.result] : [],
  );
  expect([ran.stderr, ended]).toMatchObject([
    ran.stderr,
    [{ protect: { held: 'refused', changed: ['test/sum.sh'] }, decision: { kind: 'block' } }],
  ]);
  expect(leftWorktrees(project)).toEqual([]);
});

test('what failed work has left behind is not what the next one starts from', () => {
  const project = repository(
    { 1: 'echo true > test/sum.sh; exit 1', 0: 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md' },
    { ...settings(everything, { max_failures: 5 }), 'tasks.md': '- [ ] first\n' },
  );
  const ran = project.talk(['--tasks', 'tasks.md', '--max-retries', '0']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(results(project).at(-1)).toMatchObject({ protect: { held: 'refused', changed: ['test/sum.sh'] } });
});

test('a project in a folder of the repository, and a test folder that is a link', () => {
  const project = bundled.project({ 'README.md': 'x', 'spec/sum.sh': files['test/sum.sh'] });
  for (const [path, text] of Object.entries({ ...files, ...settings(everything) }))
    if (!path.startsWith('test/')) project.write(`app/${path}`, text);
  symlinkSync('tests', project.pathOf('app/test'));
  project.write('app/tests/sum.sh', files['test/sum.sh']);
  commitAll(project);
  for (const [path, text] of Object.entries(diary({ 1: 'echo true > tests/sum.sh', 2: fix })))
    project.write(path, text);
  const ran = project.run([
    '-C',
    'app',
    'run',
    '--agent',
    'command:sh ~/agent.sh {session}',
    '--session',
    's',
    '--prompt',
    'x',
  ]);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.heard()[1]!.text).toContain('With the original tests/sum.sh this check fails');
  expect(leftWorktrees(project)).toEqual([]);
});

test('a check that cannot run in a clean worktree is refused with what to share, and passes with it', () => {
  const own = {
    ...files,
    '.gitignore': 'node_modules\n',
    'run.sh': `sh node_modules/runner.sh || exit 1\n${files['run.sh']}`,
  };
  const start = (share: string[]): Project => {
    const project = repository(
      { 1: `${fix}; cp test/sum.sh test/more.sh` },
      { ...own, ...settings({ files: everything, share }) },
    );
    project.write('node_modules/runner.sh', 'true\n');
    return project;
  };
  const bare = start([]);
  const refused = bare.talk(['--prompt', 'x', '--max-retries', '0']);
  expect(refused.exit).toBe(1);
  const [result] = results(bare);
  expect(result).toMatchObject({ verdict: { reason: expect.stringContaining('share: [node_modules]') } });
  const ran = start(['node_modules']).talk(['--prompt', 'x']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
});

test('hooks of workspace.preparing make the worktree ready, in it; one that fails refuses', () => {
  const hooks = (prepare: string): Record<string, string> =>
    settings(everything, {
      hooks: {
        'task.completing': [{ name: 'tests', shell: `test -e prepared || test -e ../project/here; ${gate}` }],
        'workspace.preparing': [{ shell: prepare }],
        'workspace.removing': [{ shell: 'pwd >> ~/removed' }],
      },
    });
  const project = repository(
    { 1: `${fix}; cp test/sum.sh test/more.sh` },
    hooks('pwd >> ~/prepared; test "$PWD" = "$HOOK_WORKSPACE"'),
  );
  const ran = project.talk(['--prompt', 'x']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/prepared')).toEqual(project.lines('~/removed'));
  expect(project.lines('~/prepared')[0]).toContain('/worktrees/');
  const failing = repository({ 1: `${fix}; cp test/sum.sh test/more.sh` }, hooks('echo no room; exit 1'));
  expect(failing.talk(['--prompt', 'x', '--max-retries', '0']).exit).toBe(1);
  expect(results(failing)[0]).toMatchObject({ verdict: { reason: expect.stringContaining('could not be prepared') } });
  expect(leftWorktrees(failing)).toEqual([]);
});

test('with then: ask a person decides, and sees what differs', async () => {
  // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
  const project = repository({ 1: 'echo true > test/sum.sh' }, settings({ files: everything, then: 'ask' }));
  const started = project.start([
    'run',
    '--agent',
    'command:sh ~/agent.sh {session}',
    '--session',
    's',
    '--prompt',
    'x',
    '--quiet',
  ]);
  const waiting = (): { id: string; question: string }[] =>
    JSON.parse(project.run(['approvals', '--json']).stdout || '[]') as { id: string; question: string }[];
  await eventually(() => waiting().length > 0);
  const [asked] = waiting();
  expect(asked!.question).toContain('+true');
  expect(project.run(['approve', asked!.id]).exit).toBe(0);
  expect((await started.ended).code).toBe(0);
  expect(results(project)).toMatchObject([{ protect: { held: 'accepted', changed: ['test/sum.sh'] } }]);
});

test('a session that is killed in the second look leaves nothing behind once it goes on', async () => {
  const project = repository(
    { 1: `${fix}; cp test/sum.sh test/more.sh` },
    { 'run.sh': `case "$PWD" in */worktrees/*) touch ~/second; [ -e ~/go ] || sleep 60;; esac\n${files['run.sh']}` },
  );
  const started = project.start([
    'run',
    '--agent',
    'command:sh ~/agent.sh {session}',
    '--session',
    's',
    '--prompt',
    'x',
    '--quiet',
  ]);
  await eventually(() => existsSync(project.pathOf('~/second')));
  started.process.kill('SIGKILL');
  await started.ended;
  expect(leftWorktrees(project)).not.toEqual([]);
  project.write('~/go', '');
  const resumed = project.run(['resume', 's', '--quiet']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(leftWorktrees(project)).toEqual([]);
  expect(project.heard()).toHaveLength(1);
});

test('in an agent’s own session its turn does not end with a bent check', () => {
  const project = repository({}, settings(everything, { hooks: { 'turn.ending': [{ name: 'tests', shell: gate }] } }));
  project.run(['trust', '--yes']);
  const call = (event: string, more: object = {}) =>
    project.run(['hook', 'claude'], {
      input: JSON.stringify({ hook_event_name: event, session_id: 'own', cwd: project.project, ...more }),
    });
  call('UserPromptSubmit', { prompt: 'make sum right' });
  project.write('test/sum.sh', 'true\n');
  const refused = call('Stop');
  expect(refused.stdout + refused.stderr).toContain('With the original test/sum.sh this check fails');
  project.write('sum.sh', 'echo $(($1 + $2))\n');
  const passed = call('Stop');
  expect(passed.stdout + passed.stderr).not.toContain('original');
  expect(leftWorktrees(project)).toEqual([]);
});

test('checks of an agent’s own session that run side by side do not hinder each other', () => {
  const stop = [
    { hooks: Array.from({ length: 6 }, (_, at) => ({ type: 'command', command: `sh run.sh ${at} || exit 2` })) },
  ];
  const project = repository({}, { '.claude/settings.json': JSON.stringify({ hooks: { Stop: stop } }) });
  project.write('sum.sh', 'echo $(($1 + $2))\n');
  project.run(['trust', '--yes']);
  const call = (event: string, more: object = {}) =>
    project.run(['hook', 'codex'], {
      input: JSON.stringify({ hook_event_name: event, session_id: 'own', cwd: project.project, ...more }),
    });
  call('UserPromptSubmit', { prompt: 'make it better' });
  const ended = call('Stop');
  expect([ended.exit, ended.stdout + ended.stderr]).toEqual([0, '']);
  project.write('test/more.sh', 'true\n');
  const again = call('Stop');
  expect([again.exit, again.stdout + again.stderr]).toEqual([0, '']);
  project.write('test/sum.sh', 'true\n');
  project.write('sum.sh', 'echo 4\n');
  expect(call('Stop').stdout).toContain('With the original test/more.sh, test/sum.sh this check fails');
  expect(leftWorktrees(project)).toEqual([]);
});

test.each([
  [['../x'], 'is not a path in the project'],
  [['package.json#scripts'], 'is not a JSON pointer'],
  [['test/[ab'], 'bracket'],
  [['run.sh#/a'], 'run.sh is not JSON'],
  [{ files: ['test'], share: ['*'] }, 'is no plain path'],
  [{ files: [] }, ''],
])('check says what is wrong with protect: %j', (protect, words) => {
  const project = repository({}, settings(protect));
  const ran = project.run(['check']);
  expect([ran.exit, ran.stdout + ran.stderr]).toEqual([78, expect.stringContaining(words)]);
  expect(ran.stdout + ran.stderr).toMatch(/hookloop\.yaml:\d+:\d+/);
});

test.each([
  ['ignores', 'tests/**', 'tests is ignored by git', 'tests\n'],
  ['would ignore', '.env', '.env is ignored by git', '.env\n'],
])('check refuses to protect what git %s', (_, path, words, ignored) => {
  const project = repository({}, { '.gitignore': ignored, 'tests/a.sh': 'true\n', ...settings([path]) });
  const ran = project.run(['check']);
  expect([ran.exit, ran.stdout + ran.stderr]).toEqual([78, expect.stringContaining(words)]);
  gitIn(project, 'add', '--force', 'tests');
  if (path !== '.env') expect(project.run(['check']).exit).toBe(0);
});

test.each(['lib', 'lib/**', 'lib/test/*.sh'])('check refuses to protect %s in a repository of its own', path => {
  const project = repository({}, settings([path]));
  project.write('lib/test/a.sh', 'true\n');
  gitIn(project, 'init', '--quiet', 'lib');
  gitIn(project, '-C', 'lib', 'add', '--all');
  gitIn(project, '-C', 'lib', 'commit', '--quiet', '-m', 'x');
  const told = [
    78,
    expect.stringMatching(/lib(\/test)? is in a git repository of its own, so no one can tell how it was/),
  ];
  const untracked = project.run(['check']);
  expect([untracked.exit, untracked.stdout + untracked.stderr]).toEqual(told);
  gitIn(project, 'add', 'lib');
  const tracked = project.run(['check']);
  expect([tracked.exit, tracked.stdout + tracked.stderr]).toEqual(told);
});

test('outside a repository check and run refuse protect', () => {
  const project = bundled.project({ ...files, ...settings(everything), ...diary() });
  const told = expect.stringContaining('protect needs a git repository: without one no one knows how the files were');
  for (const ran of [project.run(['check']), project.talk(['--prompt', 'x'])])
    expect([ran.exit, ran.stdout + ran.stderr]).toEqual([78, told]);
  expect(existsSync(project.pathOf('.hookloop/sessions/s'))).toBe(false);
});

test('init proposes tests that stand beside what they test, and nothing that git does not see', () => {
  const project = bundled.project({
    ...{ 'package.json': '{"scripts":{"test":"vitest run"}}', 'vite.config.ts': '' },
    ...{ 'src/deep/a.test.ts': '', 'node_modules/x/b.spec.js': '', 'test/c.spec.ts': '' },
    ...{ '.gitignore': 'node_modules\n.npmrc\n', '.npmrc': '//registry.example/:_authToken=x\n' },
  });
  commitAll(project);
  expect(project.run(['init', '--yes']).exit).toBe(0);
  const files = 'files: ["package.json#/scripts", "test/**", "**/*.test.*", "vitest.config.*", "vite.config.ts"]';
  expect(project.read('hookloop.yaml')).toContain(files);
  expect(project.run(['check']).exit).toBe(0);
});

test('what init proposes holds against an .npmrc that has npm run the scripts with another shell', () => {
  const project = bundled.project({
    'package.json': '{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"1.0.0"}}',
    'node_modules/.bin/mocha': '#!/bin/sh\nexit 1\n',
    '.gitignore': 'node_modules\n',
  });
  chmodSync(project.pathOf('node_modules/.bin/mocha'), 0o755);
  commitAll(project);
  expect(project.run(['init', '--yes']).exit).toBe(0);
  expect(project.read('hookloop.yaml')).toContain(
    'files: ["package.json#/scripts", ".npmrc", ".mocharc.*", "package.json#/mocha"]',
  );
  for (const [path, text] of Object.entries(diary({ 1: 'echo script-shell=/bin/true > .npmrc' })))
    project.write(path, text);
  const ran = project.talk(['--prompt', 'make sum right', '--max-retries', '0']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(ran.stderr).toContain('with the original .npmrc this check fails');
});

test('init proposes what the gates of a repository depend on', () => {
  const project = bundled.project({
    'package.json': '{"scripts":{"test":"vitest run"}}',
    'test/a.js': '',
    'vitest.config.ts': '',
  });
  commitAll(project);
  expect(project.run(['init', '--yes']).exit).toBe(0);
  expect(project.read('hookloop.yaml')).toContain(
    'files: ["package.json#/scripts", ".npmrc", "test/**", "vitest.config.*"]',
  );
  expect(project.run(['check']).exit).toBe(0);
});

test('init proposes test files beside what they test, and settings of a runner that are not there yet', () => {
  const project = bundled.project({
    'package.json': '{"scripts":{"test":"jest --ci"}}',
    'src/sum.test.js': '',
    'test/a.spec.js': '',
    'node_modules/dep/b.spec.js': '',
  });
  commitAll(project);
  expect(project.run(['init', '--yes']).exit).toBe(0);
  expect(project.read('hookloop.yaml').replaceAll(/\s+/g, ' ')).toMatch(
    /files: \[ ?"package.json#\/scripts", ".npmrc", "test\/\*\*", "\*\*\/\*.test.\*", "jest.config.\*", "package.json#\/jest",? ?\]/,
  );
  expect(project.run(['check']).exit).toBe(0);
});
