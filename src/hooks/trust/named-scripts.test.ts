import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld, type World } from './fixtures/project.ts';

const scripts = ['s/x', 's/gate.sh', 's/y.sh', 's/deep/z.sh', 's/p.py', 's/lint.js', 'top', 'run.sh'];
const data = ['tasks.md', 'src/app.ts', 'data.json', 'log.txt', 'list.txt'];

function worldWith(command: string): World {
  const world = createWorld();
  for (const file of [...scripts, ...data]) world.write(file, 'exit 0\n', 0o755);
  const PreToolUse = [{ hooks: [{ type: 'command', command }] }];
  world.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse } }));
  return world;
}

/** The files that are there and pinned. */
function pinnedBy(command: string): string[] {
  const world = worldWith(command);
  const marks = Object.values(world.plan().pins.scripts).flat();
  return marks.flatMap(([path, hash]) => (hash === null ? [] : [relative(world.project, path)])).sort();
}

describe('a script is pinned where', () => {
  test.each<[string, ...string[]]>([
    ['ROOT=$(git rev-parse --show-toplevel); "$ROOT/s/gate.sh"', 's/gate.sh'],
    ['ROOT=$(cd "$(dirname "$0")/.." && pwd); "$ROOT"/s/gate.sh', 's/gate.sh'],
    ['"$ROOT/s/gate.sh"', 's/gate.sh'],
    ['sh "${ROOT:-.}/s/gate.sh"', 's/gate.sh'],
    ['cat s/gate.sh | sh', 's/gate.sh'],
    ['cat s/gate.sh | tr a b | bash -s', 's/gate.sh'],
    ['cat s/p.py | python3 -', 's/p.py'],
    ['cat s/lint.js | node', 's/lint.js'],
    ['{ cat s/x; echo; } | sh', 's/x'],
    ['cat s/x | { sh; }', 's/x'],
    ['{ sh; } < s/x', 's/x'],
    ['cat top | sh', 'top'],
    ['for f in s/gate.sh; do sh "$f" || exit 1; done', 's/gate.sh'],
    ['for f in s/gate.sh s/y.sh; do $f; done', 's/gate.sh', 's/y.sh'],
    ['for f in gate y; do sh "s/$f.sh"; done', 's/gate.sh', 's/y.sh'],
    ['D=s; sh "$D/gate.sh"', 's/gate.sh'],
    ['A=s; D="$A/deep"; sh "${D}"/z.sh', 's/deep/z.sh'],
    ['export D=s; sh $D/gate.sh', 's/gate.sh'],
    ['eval "$(cat s/x)"', 's/x'],
    ['eval `cat s/x`', 's/x'],
    ['C=$(cat s/x); eval "$C"', 's/x'],
    ['sh -c "$(cat s/x)"', 's/x'],
    ['D=s; sh -c "cd $D && ./x"', 's/x'],
    ['python3 -c "$(cat s/p.py)"', 's/p.py'],
    ['bash <(cat s/x)', 's/x'],
    ['source <(cat s/x)', 's/x'],
    ['sh <<EOF\ns/x\nEOF', 's/x'],
    ['cat <<EOF | sh\ns/x\nEOF', 's/x'],
    ['bash <<< "s/x"', 's/x'],
    ['sh <<< "$(cat s/x)"', 's/x'],
    ['pushd s; ./x', 's/x'],
    ['cd s && cd deep && ./z.sh', 's/deep/z.sh'],
    ['D=s; cd "$D" && ./x', 's/x'],
    ['"$(dirname "$0")/s/x"', 's/x'],
    ['arr=(s/x); "${arr[0]}"', 's/x'],
    ['arr=(s/x s/y.sh); for f in "${arr[@]}"; do sh "$f"; done', 's/x', 's/y.sh'],
    ['run() { sh "$1"; }; run s/x', 's/x'],
    ['echo s/x | xargs sh', 's/x'],
    ['cat s/x > "$T/t"; sh "$T/t"', 's/x'],
    ['cp s/x copy; sh copy', 's/x'],
    ['PATH=s:$PATH; x', 's/x'],
    ['PATH="$PWD/s:$PATH" gate.sh', 's/gate.sh'],
    ['timeout 5 "$ROOT/s/gate.sh" tasks', 's/gate.sh'],
    ['find . -name x -exec s/gate.sh {} +', 's/gate.sh'],
    ['git bisect run s/gate.sh', 's/gate.sh'],
    ['eslint -c s/lint.js src/app.ts', 's/lint.js'],
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
    ['cat tasks.md; ROOT=$(git rev-parse --show-toplevel); "$ROOT/s/gate.sh" > log.txt', 's/gate.sh'],
    ['cat s/x | sh | tee log.txt', 's/x'],
    ['[ -f tasks.md ] && cat s/x | sh', 's/x'],
    ['node s/lint.js < data.json', 's/lint.js'],
    ['cat tasks.md | s/x', 's/x'],
    ['cat tasks.md; "$PYTHON" s/x', 's/x'],
  ])('data beside it is not: %s', (command, expected) => expect(pinnedBy(command)).toEqual([expected]));
});

describe('what cannot be pinned is told:', () => {
  const unpinnedBy = async (command: string): Promise<unknown> =>
    JSON.parse((await worldWith(command).trust(['--status', '--json'])).stdout).unpinned;

  test.each<[string, string]>([
    ['"$CHECK" --fast', '"$CHECK"'],
    ['sh "$DIR/gone.sh"', '"$DIR/gone.sh"'],
    ['$(git config my.check)', '$(git config my.check)'],
    ['eval "$CHECK"', '$CHECK'],
    ['curl -s https://example.com/x | sh', 'curl -s https://example.com/x | sh'],
    ['for f in hooks/*.sh; do sh "$f"; done', '"$f"'],
    ['find hooks -exec sh {} +', '{}'],
  ])('%s', async (command, word) =>
    expect(await unpinnedBy(command)).toEqual([{ file: '.claude/settings.json', word }]),
  );

  test.each([
    'npm test',
    'sh < s/x',
    's/gone.sh',
    '"$ROOT/s/gate.sh"',
    'cat s/x | sh',
    'for f in s/x; do sh "$f"; done',
    'run() { sh "$1"; }; run s/x',
    'arr=(s/x); "${arr[0]}"',
    'echo "$SOMETHING" > log.txt',
  ])('not of %s', async command => expect(await unpinnedBy(command)).toBeUndefined());

  test('people read it in the listing, without control characters', async () => {
    const { stdout } = await worldWith('"$CHECK\u001b[2J"').trust([]);
    expect(stdout).toMatch(/^ {2}runs something that cannot be pinned: "\$CHECK[^\u001b]*"$/m);
  });
});

test('an agent that edits a script which is piped into a shell loses the trust', async () => {
  const world = worldWith('cat s/x | sh');
  await world.trust(['--yes']);
  expect((await world.trust(['--status'])).exit).toBe(0);
  world.write('s/x', 'exit 0 # disarmed\n', 0o755);
  expect((await world.trust(['--status'])).exit).toBe(1);
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
  for (const command of hostile) expect(() => worldWith(command).plan()).not.toThrow();
  // Its own time, whoever else is at work on the machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});
