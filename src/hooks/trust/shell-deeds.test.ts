import { beforeEach, describe, expect, test } from 'vitest';
import { asks, createHeld, type Held } from './fixtures/held.ts';
import { readDeeds } from './shell-deeds.ts';

let bash: Held['bash'];
beforeEach(() => {
  ({ bash } = createHeld());
});

describe('a command that lifts gates is for people', () => {
  test.each([
    'hookloop trust',
    'hookloop trust --yes',
    'hookloop -C /tmp trust --yes',
    '/usr/local/bin/hookloop approve 7k2m9xqp',
    './node_modules/.bin/hookloop reject abc',
    'npx hookloop uninstall claude',
    'npx -y hookloop@0.1.0 trust --yes',
    'node /opt/hookloop/dist/bin/hookloop.cjs trust -y',
    'env -i PATH=/bin hookloop trust --yes',
    'CI=1 FOO=bar hookloop trust --yes',
    'cd /tmp && setsid hookloop trust --yes </dev/null',
    "sh -c 'hookloop trust --yes'",
    'bash -lc "echo x; hookloop approve abc"',
    'nohup hookloop trust --yes & wait',
    'echo y | hookloop trust',
    'x=$(hookloop trust --yes)',
    'hookloop resume s1 --accept-changes',
    'hookloop approvals --link abc',
    'hookloop serve --link',
    'hookloop undo s1 --yes',
    'deno run npm:hookloop trust --yes',
    "hook''loop tr\\ust --yes",
    'HL=hookloop; "$HL" trust --yes',
    'hookloop "$command" --yes',
    "tmux new -d 'hookloop trust --yes'",
    `python3 -c "import subprocess; subprocess.run(['hookloop','trust','--yes'])"`,
    `node -e "require('child_process').spawnSync('/x/hookloop',['-C', '.', 'trust'])"; hookloop trust`,
    "node <<'EOF'\nrequire('child_process').execFileSync('hookloop',['trust','--yes'])\nEOF",
    "echo 'hookloop trust --yes' | sh",
    "printf 'hookloop approve x\\n' | bash",
    "sh <<< 'hookloop trust --yes'",
    'cat <<EOF | sh\nhookloop trust --yes\nEOF',
    'alias h=hookloop; h trust --yes',
    'alias h=/usr/bin/hookloop\nh resume s --accept-changes',
  ])('%s', async command => expect(await bash(command)).toMatchObject(asks('for people')));

  test.each([
    'hookloop trust --status',
    'hookloop list; hookloop check',
    'hookloop resume s1',
    'hookloop approvals',
    'hookloop uninstall claude --dry-run',
    'hookloop task done 3',
    'echo hookloop trust',
    'grep -rn "hookloop trust" docs',
    'git commit -m "hookloop trust explained"',
    'cat hookloop.md',
    'npm test',
    'gh pr create --title x --body "hookloop trust is required now"',
    `gh pr create --title "hookloop trust" --body 'Run hookloop approve ID'`,
    'echo "run hookloop trust" | tee notes.md',
    "python3 -c \"import subprocess; subprocess.run(['hookloop','trust','--status'])\"",
    'cat <<EOF > NOTES.md\nhookloop trust --yes\nEOF',
    "alias ll='ls -l'; ll trust",
  ])('but not %s', async command => expect(await bash(command)).toEqual({ kind: 'proceed' }));
});

test.each(['touch a;', 'rm $A;', 'ln -s a b;', 'patch x <<E\nE\n', 'git mv a b;', 'hookloop trust ', 'echo x | sh;'])(
  'a long command of %j is read in time',
  piece => {
    const before = process.cpuUsage();
    readDeeds(piece.repeat(100_000 / piece.length));
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(4);
  },
);
