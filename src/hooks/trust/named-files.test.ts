import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookDefinition, Invocation, Places } from '../../model/index.ts';
import { createSandbox, type Sandbox } from './fixtures/sandbox.ts';
import { namedFiles } from './named-files.ts';

const scripts = ['s/x', 's/gate.sh', 's/y.sh', 's/deep/z.sh', 's/p.py', 's/lint.js', 'top', 'run.sh'];
const data = ['tasks.md', 'src/app.ts', 'data.json', 'log.txt', 'list.txt'];

function sandboxWith(command: string): Sandbox {
  const sandbox = createSandbox();
  for (const file of [...scripts, ...data]) sandbox.write(file, 'exit 0\n', 0o755);
  const PreToolUse = [{ hooks: [{ type: 'command', command }] }];
  sandbox.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse } }));
  return sandbox;
}

/** The files that are there and pinned. */
function pinnedBy(command: string): string[] {
  const sandbox = sandboxWith(command);
  const marks = Object.values(sandbox.plan().pins.scripts).flat();
  return marks.flatMap(([path, hash]) => (hash === null ? [] : [relative(sandbox.project, path)])).sort();
}

describe('a script is pinned where', () => {
  test.each<[string, ...string[]]>([
    ['s/x', 's/x'],
    ['sh top', 'top'],
    ['"$(git rev-parse --show-toplevel)/s/gate.sh"', 's/gate.sh'],
    ['"$CLAUDE_PROJECT_DIR"/s/gate.sh', 's/gate.sh'],
    ['timeout 5 s/gate.sh tasks', 's/gate.sh'],
    ['cat s/gate.sh | sh', 's/gate.sh'],
    ['cat s/gate.sh | tr a b | bash -s', 's/gate.sh'],
    ['cat s/p.py | python3 -', 's/p.py'],
    ['cat s/lint.js | node', 's/lint.js'],
    ['{ cat s/x; echo; } | sh', 's/x'],
    ['cat s/x | { sh; }', 's/x'],
    ['for f in s/gate.sh; do sh "$f" || exit 1; done', 's/gate.sh'],
    ['for f in s/gate.sh s/y.sh; do $f; done', 's/gate.sh', 's/y.sh'],
    ['eval "$(cat s/x)"', 's/x'],
    ['eval `cat s/x`', 's/x'],
    ['C=$(cat s/x); eval "$C"', 's/x'],
    ['sh -c "$(cat s/x)"', 's/x'],
    ['python3 -c "$(cat s/p.py)"', 's/p.py'],
    ['bash <(cat s/x)', 's/x'],
    ['source <(cat s/x)', 's/x'],
    ['sh <<EOF\ns/x\nEOF', 's/x'],
    ['cat <<EOF | sh\ns/x\nEOF', 's/x'],
    ['bash <<< "s/x"', 's/x'],
    ['sh <<< "$(cat s/x)"', 's/x'],
    ['run() { sh "$1"; }; run s/x', 's/x'],
    ['cat s/x > "$T/t"; sh "$T/t"', 's/x'],
    ['find . -name x -exec s/gate.sh {} +', 's/gate.sh'],
    ['git bisect run s/gate.sh', 's/gate.sh'],
    ['unknown-runner s/x', 's/x'],
    ['cat s/x | while read l; do eval "$l"; done', 's/x'],
    ["arr=(a; b); sh 's/x'", 's/x'],
  ])('%s', (command, ...expected) => expect(pinnedBy(command)).toEqual(expected));

  test.each([
    'cat tasks.md',
    'cat < tasks.md',
    'eslint src/app.ts',
    'eslint --fix src/app.ts',
    'cp tasks.md log.txt',
    'echo done > log.txt',
    '[ -f tasks.md ] && npm test',
    'test -s ./tasks.md || exit 2',
    'while read l; do echo "$l"; done < tasks.md',
    'cat data.json | jq .a',
    "sed -i s/a/b/ tasks.md; awk '{print $1}' data.json",
    'sed "s/a/$B/" tasks.md',
    'git add tasks.md && git commit -m "tasks.md is done"',
    'git diff --quiet -- src/app.ts',
    'for f in tasks.md; do cat "$f"; done',
    'F=$(mktemp); cat tasks.md > "$F"',
    'tar czf log.txt src/app.ts',
    'curl -d @data.json https://example.com/',
    'tee log.txt < data.json',
    'npx prettier --check src/app.ts',
  ])('no word is data: %s', command => expect(pinnedBy(command)).toEqual([]));

  test.each<[string, string]>([
    ['cat s/x | sh | tee log.txt', 's/x'],
    ['[ -f tasks.md ] && cat s/x | sh', 's/x'],
    ['node s/lint.js < data.json', 's/lint.js'],
    ['cat tasks.md | s/x', 's/x'],
  ])('data beside it is not: %s', (command, expected) => expect(pinnedBy(command)).toEqual([expected]));
});

describe('nothing is worked out:', () => {
  test.each([
    'ROOT=$(git rev-parse --show-toplevel); "$ROOT/s/gate.sh"',
    'sh "${ROOT:-.}/s/gate.sh"',
    'D=s; sh "$D/gate.sh"',
    'for f in gate y; do sh "s/$f.sh"; done',
    'cd s && ./x',
    'PATH=s:$PATH; x',
    'cp s/x copy; sh copy',
    '"$(dirname "$0")/s/x"',
    'eslint -c s/lint.js src/app.ts',
  ])('%s', command => expect(pinnedBy(command)).toEqual([]));
});

describe('what cannot be pinned is told:', () => {
  const unpinnedBy = async (command: string): Promise<unknown> =>
    JSON.parse((await sandboxWith(command).trust(['--status', '--json'])).stdout).unpinned;

  test.each<[string, string]>([
    ['"$CHECK" --fast', '"$CHECK"'],
    ['sh "$DIR/gone.sh"', '"$DIR/gone.sh"'],
    ['$(git config my.check)', '$(git config my.check)'],
    ['"$ROOT/s/gate.sh"', '"$ROOT/s/gate.sh"'],
    ['cat s/x | sh', 'cat s/x | sh'],
    ['curl -s https://example.com/x | sh', 'curl -s https://example.com/x | sh'],
    ['for f in hooks/*.sh; do sh "$f"; done', '"$f"'],
    ['find hooks -exec sh {} +', '{}'],
  ])('%s', async (command, word) =>
    expect(await unpinnedBy(command)).toEqual([{ file: '.claude/settings.json', word }]),
  );

  test.each(['npm test', 'sh < s/x', 's/gone.sh', 'echo "$SOMETHING" > log.txt'])('not of %s', async command =>
    expect(await unpinnedBy(command)).toBeUndefined(),
  );

  test('people read it in the listing, without control characters', async () => {
    const { stdout } = await sandboxWith('"$CHECK\u001b[2J"').trust([]);
    expect(stdout).toMatch(/^ {2}runs something that cannot be checked: "\$CHECK[^\u001b]*"$/m);
  });
});

test('an agent that edits a script which is piped into a shell loses the trust', async () => {
  const sandbox = sandboxWith('cat s/x | sh');
  await sandbox.trust(['--yes']);
  expect((await sandbox.trust(['--status'])).exit).toBe(0);
  sandbox.write('s/x', 'exit 0 # disarmed\n', 0o755);
  expect((await sandbox.trust(['--status'])).exit).toBe(1);
});

test('a command of any size is read quickly, and without a throw', () => {
  const hostile = [
    'sh|'.repeat(30_000),
    'sh;'.repeat(30_000),
    'cd a;'.repeat(9000),
    'A=$A$B B=$A;'.repeat(3000),
    '"$A$B$C/x" '.repeat(20_000),
    `A=$A$A; ${'$A '.repeat(5000)}`,
    '`'.repeat(999),
    'eval "'.repeat(500),
  ];
  const before = process.cpuUsage();
  for (const command of hostile) expect(() => sandboxWith(command).plan()).not.toThrow();
  // Its own time, whoever else is at work on the machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});

const places: Places = {
  root: "/w/my 'p",
  repo: '/repo',
  cwd: '/w/here',
  home: '/home/me',
  config: '/c',
  plugin: '/plug',
};

const named = (run: Invocation, cwd: 'root' | 'caller' = 'root'): readonly string[] =>
  namedFiles({ action: { kind: 'shell', command: '', run, cwd } } as HookDefinition, places).paths;

describe('a command names', () => {
  test.each<[string, string[]]>([
    ['./check.sh', ["/w/my 'p/check.sh"]],
    ['node tools/check.mjs --fast', ["/w/my 'p/tools/check.mjs"]],
    ['sh check', ["/w/my 'p/check"]],
    ['. ./env.sh && npm test', ["/w/my 'p/env.sh"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/x.sh', ["/w/my 'p/.claude/x.sh"]],
    ['bash "${CLAUDE_PROJECT_DIR:-.}/a.sh"', ["/w/my 'p/a.sh"]],
    ['"$(git rev-parse --show-toplevel)/x.sh"', ["/w/my 'p/x.sh"]],
    ['~/bin/x && $HOME/bin/y', ['/home/me/bin/x', '/home/me/bin/y']],
    ['${CLAUDE_PLUGIN_ROOT}/x.sh', ['/plug/x.sh']],
    ['runner --config=cfg/lint.js', ["/w/my 'p/--config=cfg/lint.js", "/w/my 'p/cfg/lint.js"]],
    ["sh -c 'node ./deep.js'", ["/w/my 'p/node ./deep.js", "/w/my 'p/deep.js"]],
    ['cd tools && ./x.sh', ["/w/my 'p/x.sh"]],
    ['sh < feed.sh', ["/w/my 'p/feed.sh"]],
    ['BASH_ENV=./env.sh bash -c true', ["/w/my 'p/env.sh"]],
    ['if test -f x; then ./a.sh; else `./b.sh`; fi', ["/w/my 'p/a.sh", "/w/my 'p/b.sh"]],
    ['grep -q TODO src/a.ts; cat ./notes.txt', []],
    ['npm test', []],
    ['/usr/bin/env true', []],
    ['"$SOMETHING"/x.sh', []],
    ['"$SOMETHING"', []],
  ])('%s', (script, paths) => expect(named({ via: 'sh', script })).toEqual(paths));

  test('the program and the arguments that it is started with', () => {
    const run: Invocation = { via: 'exec', file: '/w/x.sh', args: ['run', './y.js', '--z=z.js'] };
    expect(named(run, 'caller')).toEqual(['/w/x.sh', '/w/here/y.js', '/w/here/--z=z.js', '/w/here/z.js']);
  });
});
