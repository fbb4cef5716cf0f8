import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { asks, createHeld, type Held } from './fixtures/held.ts';

let { sandbox, decide, bash }: Held = {} as Held;
beforeEach(() => {
  ({ sandbox, decide, bash } = createHeld());
});

const inHome = (path: string): string => join(sandbox.env['HOME']!, path);

describe('what holds the gates is not changed by a shell', () => {
  test.each([
    ['echo {} > .claude/settings.json', '.claude/settings.json holds hooks'],
    ['printf x >> gate.sh', 'gate.sh is run by a hook'],
    ['sed -i s/2/0/ gate.sh', 'gate.sh is run by a hook'],
    ['perl -pi -e s/2/0/ ./gate.sh', 'gate.sh'],
    ['echo exit 0 | tee gate.sh', 'gate.sh'],
    ['rm -f gate.sh', 'gate.sh'],
    ['rm -rf .claude', '.claude/settings.json holds hooks'],
    ['mv .claude .claude.off', '.claude/settings.json holds hooks'],
    ['cd .claude && rm settings.json', '.claude/settings.json'],
    ['cp /tmp/other.json .claude/settings.json', '.claude/settings.json'],
    ['cp /tmp/settings.json .claude', '.claude/settings.json'],
    ['chmod -x gate.sh', 'gate.sh'],
    ['dd if=/dev/null of=gate.sh', 'gate.sh'],
    ['rm -rf .hookloop/sessions/s1', "holds hookloop's sessions"],
    ['echo {} > ~/.local/state/hookloop/trust.json', 'record of what is trusted'],
    ['echo protect_hooks: false > ~/.config/hookloop/config.yaml', "the user's hooks"],
    ['rm "$HOME"/.local/state/hookloop/trust.json', 'record of what is trusted'],
    ['rm .claude/*', '.claude/settings.json holds hooks'],
    ['rm .codex/hooks.json', '.codex/hooks.json calls hookloop'],
    ["bash -c 'echo exit 0 > gate.sh'", 'gate.sh'],
    ['cd ~/.local/state/hookloop/bin && cp /bin/true hookloop', 'record of what is trusted'],
    ['cd ~/.config && mkdir -p hookloop && cd hookloop && echo x > config.yaml', "the user's hooks"],
    ['cd $HOME/.config/hookloop; echo x > config.yaml', "the user's hooks"],
    ['cd "${HOME}/.config" && echo x > hookloop/config.yaml', "the user's hooks"],
    ['cd ~/.local/state && rm -rf hookloop', 'record of what is trusted'],
    ['cd ~/.local/state/hookloop/ ; cd bin; cp /bin/true hookloop', 'record of what is trusted'],
    ['cd && rm -rf .local/state/hookloop', 'record of what is trusted'],
    ['echo x > ${XDG_CONFIG_HOME:-$HOME/.config}/hookloop/config.yaml', "the user's hooks"],
    ['echo x > "${XDG_STATE_HOME:-${HOME}/.local/state}/hookloop/trust.json"', 'record of what is trusted'],
    ['rm -rf .codex', '.codex/hooks.json calls hookloop'],
    ['mv .codex x', '.codex/hooks.json calls hookloop'],
    ['git checkout HEAD~1 -- gate.sh', 'gate.sh'],
    ['git restore gate.sh', 'gate.sh'],
    ['git rm -rf .claude', '.claude/settings.json holds hooks'],
    ['git -C .claude rm settings.json', '.claude/settings.json'],
    ['git mv gate.sh x', 'gate.sh'],
    ['git stash push -- gate.sh', 'gate.sh'],
    ['git apply <<EOF\n--- a/gate.sh\n+++ b/gate.sh\n@@ -1 +1 @@\nEOF', 'gate.sh'],
    ['patch -p1 <<EOF\n--- a/gate.sh\n+++ b/gate.sh\nEOF', 'gate.sh'],
    ['patch gate.sh x.diff', 'gate.sh'],
    ['curl -sSL -o gate.sh https://x.example/y', 'gate.sh'],
    ['curl --output=gate.sh https://x.example/y', 'gate.sh'],
    ['wget -O gate.sh https://x.example/y', 'gate.sh'],
    ['wget -Ogate.sh https://x.example/y', 'gate.sh'],
    ['cp -t .claude /tmp/settings.json', '.claude/settings.json'],
    ['cp --target-directory=.claude /tmp/settings.json', '.claude/settings.json'],
    ['cp -r /tmp/x/. .claude', '.claude/settings.json'],
    ['cp -r /tmp/x/.claude .', '.claude/settings.json'],
    ['rm gate*', 'gate.sh'],
    ['rm -rf .', 'so an agent may not change it'],
    ['rm -rf ~/.local', 'record of what is trusted'],
    ['rm -rf "$HOME"', "the user's hooks"],
    ['cp -r /tmp/other/. .', 'so an agent may not change it'],
    ['rsync -rtv /tmp/other/ .claude/', '.claude/settings.json'],
    ['rsync -a /tmp/other/ ./', 'so an agent may not change it'],
    ['cp /tmp/other/* .claude/', '.claude/settings.json'],
    ['curl -so gate.sh https://x.example/y', 'gate.sh'],
    ['wget -qO gate.sh https://x.example/y', 'gate.sh'],
    ['chmod -R 000 .claude', '.claude/settings.json'],
    [`perl -e 'open F,">gate.sh"; print F 1'`, 'gate.sh'],
    ['rm g?te.[s]h', 'gate.sh'],
    ['rm -rf .cl*', '.claude/settings.json'],
    ['rm {gate,x}.sh', 'gate.sh'],
    ['find . -name gate.sh -delete', 'gate.sh'],
    ["find . -name 'ga*.sh' -exec rm {} +", 'gate.sh'],
    ['F=gate.sh; echo > "$F"', 'gate.sh'],
    ['D=.claude; export N=settings; rm $D/$N.json', '.claude/settings.json'],
    ['for f in gate.sh; do echo > $f; done', 'gate.sh'],
    ['echo > "$PWD/gate.sh"', 'gate.sh'],
    ['echo > "$(pwd)/gate.sh"', 'gate.sh'],
    [`python3 -c "open('gate.sh','w').write('')"`, 'gate.sh'],
    [`node -e "require('fs').unlinkSync('gate.sh')"`, 'gate.sh'],
    ["python3 - <<EOF\nimport os\nos.chmod('gate.sh', 0)\nEOF", 'gate.sh'],
  ])('%s', async (command, words) => expect(await bash(command)).toMatchObject(asks(words)));

  test.each([
    'cat gate.sh .claude/settings.json',
    'cp gate.sh /tmp/copy.sh',
    'sed -n 1p gate.sh',
    './gate.sh > out.txt',
    'diff gate.sh other.sh',
    'echo {} > .gemini/settings.json',
    'echo "{}" > .hookloop/sessions/s1/current/status.json',
    'echo done >> .hookloop/sessions/s1/progress.md',
    'ls ~/.local/state/hookloop',
    'npm pkg set scripts.test=x',
    'git add gate.sh && git diff gate.sh && git log -p -- gate.sh',
    'git checkout main && git stash && git checkout .',
    'cp gate.sh src/copy.sh',
    'cp $OUT/*.js dist/; rm -rf dist/* *.log',
    'cp /tmp/build/* .',
    'echo x > "$OUT/gate.sh"',
    'F=other.sh; echo > $F; cat gate.sh',
    'find . -name gate.sh',
    "find . -name '*.ts' -delete",
    'find . -empty -delete; cat gate.sh',
    'curl -o out.json https://x.example/gate.sh',
    `python3 -c "print(open('gate.sh').read())"`,
    'cd src && rm settings.json; cat gate.sh',
    'rm -rf .gemini',
  ])('but not %s', async command => expect(await bash(command)).toEqual({ kind: 'proceed' }));

  test.each(['workdir', 'cwd', 'directory', 'dir_path'])('in the folder that the call names as %s', async field => {
    expect(await decide('shell', { command: 'rm settings.json', [field]: '.claude' })).toMatchObject(
      asks('holds hooks'),
    );
    const state = join(sandbox.env['HOME']!, '.local/state/hookloop');
    mkdirSync(state, { recursive: true });
    expect(await decide('shell', { command: ['rm', 'trust.json'], [field]: state })).toMatchObject(
      asks('what is trusted'),
    );
    expect(await decide('shell', { command: 'rm gate.sh', [field]: '.claude' })).toEqual({ kind: 'proceed' });
    expect(await decide('shell', { command: 'rm gate.sh', [field]: 'nowhere' })).toMatchObject(asks('gate.sh'));
  });

  test.each([
    'echo x > zz',
    'sed -i s/2/0/ zz',
    'echo x | tee zz',
    'F=zz; echo > $F',
    'echo > "$PWD/zz"',
    'cd sub && echo x > yy',
    `python3 -c "open('zz','w').write('')"`,
    'echo x > folder/settings.local.json',
    'echo x > ~/ww',
    'echo x > "a b"',
    'bash -c \'echo x > "a b"\'',
    'echo "it\'s" > a" "b',
    'echo x > sub/"c d"',
    'echo x > a\\ b',
    'echo x > a,b',
    'echo x > a=b',
    'curl -ozz https://x.example/y',
    'curl -sozz https://x.example/y',
    'wget -Ozz https://x.example/y',
    'wget -qOzz https://x.example/y',
    'dd if=/dev/null of=a=b',
  ])('through a link of another name: %s', async command => {
    mkdirSync(join(sandbox.project, 'sub'));
    symlinkSync('.claude/settings.json', join(sandbox.project, 'zz'));
    symlinkSync('../.claude/settings.json', join(sandbox.project, 'sub/yy'));
    symlinkSync('../.claude/settings.json', join(sandbox.project, 'sub/c d'));
    symlinkSync('.claude', join(sandbox.project, 'folder'));
    for (const name of ['a b', 'a,b', 'a=b']) symlinkSync('.claude/settings.json', join(sandbox.project, name));
    symlinkSync(join(sandbox.project, '.claude/settings.json'), inHome('ww'));
    sandbox.write('.claude/settings.local.json', '{"hooks":{"Stop":"hookloop hook claude Stop"}}');
    expect(await bash(command)).toMatchObject(asks('.claude/settings.'));
  });

  test.each([
    ['ln -s gate.sh zz; echo > zz', 'gate.sh is run by a hook'],
    ['ln -s .claude ./zz && echo {} > zz/settings.json', '.claude/settings.json holds hooks'],
    ['ln -s ../gate.sh src/zz; echo > src/zz', 'gate.sh is run by a hook'],
    ['ln gate.sh zz', 'gate.sh is run by a hook'],
    ['ln -s .claude a && ln -s a b && echo x > b/settings.json', '.claude/settings.json holds hooks'],
    ['ln -s .claude zz && cd zz && echo x > settings.json', '.claude/settings.json holds hooks'],
    ['cd src && ln -s ../.claude zz && cd zz && echo x > settings.json', '.claude/settings.json holds hooks'],
    ['ln -tsub gate.sh', 'gate.sh is run by a hook'],
    ['ln --target-directory=sub gate.sh', 'gate.sh is run by a hook'],
    ['ln -st sub ../gate.sh; echo > sub/gate.sh', 'gate.sh is run by a hook'],
    ['ln -stsub ../gate.sh; echo > sub/gate.sh', 'gate.sh is run by a hook'],
    ['cp -l gate.sh zz; echo > zz', 'gate.sh is run by a hook'],
    ['cp --link gate.sh zz', 'gate.sh is run by a hook'],
    ['cp -al .claude zz', '.claude/settings.json holds hooks'],
    ['cp -s gate.sh zz; echo > zz', 'gate.sh is run by a hook'],
  ])('through a link that the text makes: %s', async (command, words) =>
    expect(await bash(command)).toMatchObject(asks(words)),
  );

  test.each([
    'ln -s gate.sh zz',
    'ln -s ../x/node_modules node_modules',
    'ln -s gate.sh zz; cat zz; echo > z',
    'ln -s a/b a; ln -s b a; ln -s a b; cd a; echo > a/b',
    'ln -st sub ../gate.sh',
    'cp -s gate.sh zz',
    'cp -t sub gate.sh',
    'cp -al src zz',
    'ln -s .claude/settings.json .; echo > $OUT',
  ])('but links are made: %s', async command => expect(await bash(command)).toEqual({ kind: 'proceed' }));

  test('but not through what is too long for a path', async () =>
    expect(await bash(`echo '${'a/'.repeat(50_000)}'`)).toEqual({ kind: 'proceed' }));

  test('in the folder where the agent is', async () => {
    const state = join(sandbox.env['HOME']!, '.local/state/hookloop');
    mkdirSync(state, { recursive: true });
    expect(await decide('Bash', { command: 'rm trust.json' }, state)).toMatchObject(asks('what is trusted'));
    const link = join(sandbox.project, 'elsewhere');
    symlinkSync(state, link);
    expect(await decide('Bash', { command: 'echo > new.sh' }, link)).toMatchObject(asks('what is trusted'));
    expect(await decide('Bash', { command: 'echo > new.sh', workdir: 'elsewhere' })).toMatchObject(
      asks('what is trusted'),
    );
  });
});

describe('what holds the gates is not changed by an edit', () => {
  const edits: readonly [tool: string, input: () => object, words: string][] = [
    ['Write', () => ({ file_path: join(sandbox.project, 'gate.sh'), content: 'exit 0' }), 'gate.sh is run by a hook'],
    ['Edit', () => ({ file_path: '.claude/settings.json' }), '.claude/settings.json holds hooks'],
    ['replace', () => ({ file_path: './src/../gate.sh' }), 'gate.sh'],
    ['MultiEdit', () => ({ file_path: 'a.ts', edits: [{ file_path: 'gate.sh' }] }), 'gate.sh'],
    ['apply_patch', () => ({ command: '*** Begin Patch\n*** Delete File: gate.sh\n*** End Patch' }), 'gate.sh'],
    ['Write', () => ({ file_path: '.hookloop/sessions/s1/journal.jsonl' }), "holds hookloop's sessions"],
    [
      'Write',
      () => ({ file_path: join(sandbox.env['HOME']!, '.local/state/hookloop/trust.json') }),
      'record of what is trusted',
    ],
    ['write', () => ({ filePath: '.codex/hooks.json' }), 'calls hookloop'],
    ['Write', () => ({ file_path: '.codex/config.toml' }), '.codex/config.toml is a settings file of codex'],
    ['Write', () => ({ file_path: inHome('.codex/hooks.json') }), 'settings file of codex, which calls hookloop'],
    ['Write', () => ({ file_path: inHome('.codex/config.toml') }), 'settings file of codex'],
    ['Write', () => ({ file_path: inHome('.cache/hookloop/plans/x.json') }), 'cache of compiled hooks'],
    ['Write', () => ({ file_path: inHome('.cache/hookloop/code/x') }), 'cache of compiled hooks'],
    ['Write', () => ({ file_path: `/dev/shm/hookloop-${process.getuid?.()}/x/y.json` }), 'record of decisions'],
    ['Write', () => ({ file_path: join(dirname(realpathSync(process.argv[1]!)), 'main.cjs') }), 'is hookloop itself'],
    ['Write', () => ({ file_path: process.argv[1]! }), 'is hookloop itself'],
    ['mcp__fs__write_file', () => ({ path: 'gate.sh', content: 'exit 0' }), 'gate.sh is run by a hook'],
    ['mcp__fs__move_file', () => ({ source: 'a', destination: 'gate.sh' }), 'gate.sh is run by a hook'],
    ['mcp__fs__write_file', () => ({ path: join(sandbox.project, 'gate.sh'), content: '' }), 'gate.sh'],
    ['mcp__filesystem__edit_file', () => ({ path: 'gate.sh', edits: [] }), 'gate.sh'],
    ['mcp__filesystem__move_file', () => ({ source: 'gate.sh', destination: 'x' }), 'gate.sh'],
    ['mcp__fs__delete', () => ({ paths: ['a', '.claude'] }), 'holds hooks'],
    ['mcp_serena_replace_symbol', () => ({ relative_path: 'gate.sh' }), 'gate.sh'],
    ['mcp__x__create', () => ({ uri: `file://${sandbox.project}/gate.sh` }), 'gate.sh'],
  ];
  test.each(edits)('by %s %o', async (tool, input, words) =>
    expect(await decide(tool, input())).toMatchObject(asks(words)),
  );

  test('where the agent has its entries in another of its files, also in those that do not exist yet', async () => {
    const files = ['.claude/settings.local.json', '.qwen/settings.json', inHome('.claude/settings.json')];
    for (const file_path of files) expect(await decide('Write', { file_path })).toEqual({ kind: 'proceed' });
    const entry = (agent: string): string =>
      `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"hookloop hook ${agent} Stop # hookloop"}]}]}}`;
    sandbox.write('.claude/settings.local.json', entry('claude'));
    sandbox.write(inHome('.qwen/settings.json'), entry('qwen'));
    for (const file_path of files) expect(await decide('Write', { file_path })).toMatchObject(asks('calls hookloop'));
    expect(await bash('echo {} > ~/.claude/settings.json')).toMatchObject(asks('settings file of claude'));
    expect(await decide('Write', { file_path: '.gemini/settings.json' })).toEqual({ kind: 'proceed' });
  });

  test('in the cache that the environment names', async () => {
    sandbox.env['XDG_CACHE_HOME'] = join(sandbox.base, 'cache');
    const file_path = join(sandbox.base, 'cache/hookloop/plans/x.json');
    expect(await decide('Write', { file_path })).toMatchObject(asks('cache of compiled hooks'));
  });

  test('where it is reached by a link, or through one to what does not exist yet', async () => {
    sandbox.write('real/gate.sh', 'exit 2');
    rmSync(join(sandbox.project, 'gate.sh'));
    symlinkSync('real/gate.sh', join(sandbox.project, 'gate.sh'));
    expect(await decide('Write', { file_path: 'real/gate.sh' })).toMatchObject(asks('is run by a hook'));
    symlinkSync(inHome('.local/state/hookloop/new.json'), join(sandbox.project, 'innocent.json'));
    expect(await decide('Write', { file_path: 'innocent.json' })).toMatchObject(asks('record of what is trusted'));
  });

  test('under another name', async () => {
    symlinkSync('.claude', join(sandbox.project, 'innocent'));
    expect(await decide('Write', { file_path: 'innocent/settings.json' })).toMatchObject(asks('holds hooks'));
  });

  test.each([
    ['Write', { file_path: 'src/a.ts' }],
    ['Edit', { file_path: 'package.json' }],
    ['Write', { file_path: '.hookloop/sessions/s1/stage-00-work/iterations/001/status.json' }],
    ['Write', { file_path: '.hookloop/sessions/s1/children/x-1/output.json' }],
    ['Read', { file_path: 'gate.sh' }],
    ['mcp__fs__read_file', { path: 'gate.sh' }],
    ['Grep', { pattern: 'hookloop trust', path: '.claude/settings.json' }],
    ['mcp__fs__read_file', { path: 'gate.sh' }],
    ['mcp__editor__view', { path: 'gate.sh' }],
    ['mcp__fs__write_file', { path: 'src/a.ts', content: 'gate.sh' }],
    ['mcp__jira__create_issue', { title: 'gate.sh', body: 'hookloop trust' }],
  ])('but not by %s %o', async (tool, input) => expect(await decide(tool, input)).toEqual({ kind: 'proceed' }));
});

test('the user switches it off in a file of their own, a project cannot', async () => {
  sandbox.write('hookloop.yaml', 'hooks: {}\n');
  sandbox.write('config.yaml', 'protect_hooks: false\n');
  expect(await bash('rm gate.sh')).toMatchObject(asks('gate.sh'));
  const config = join(sandbox.env['HOME']!, '.config/hookloop');
  mkdirSync(config, { recursive: true });
  sandbox.write(join(config, 'config.yaml'), 'protect_hooks: [\n');
  expect(await bash('rm gate.sh')).toMatchObject(asks('gate.sh'));
  sandbox.write(join(config, 'config.yaml'), 'protect_hooks: false\n');
  expect(await bash('rm gate.sh')).toEqual({ kind: 'proceed' });
});
