import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bundleForTests } from './loop/project.ts';

const bundled = await bundleForTests();
const hasTerminals = spawnSync('script', ['--version']).status === 0;

const files = {
  'hookloop.yaml':
    'hooks:\n  tool.calling: [ { deny: no pushing, command: git push } ]\n  task.completing: [ exit 1 ]\n',
  'script.yaml': 'repeat: true\nturns: [{ text: at work, tools: [{ name: Bash, input: { command: git push } }] }]\n',
};

const colours = /\x1b\[[\d;]*m/g;
const otherControls = /\x1b\[\??[\d;]*[A-HJKhl]/;

/** What a command prints in a terminal. */
function shown(command: string, env: Readonly<Record<string, string>>): string {
  const shell = `script -qec '"$NODE" "$PROGRAM" ${command}' /dev/null </dev/null`;
  return bundled.project(files).run([], { shell, env: { TERM: 'xterm-256color', CI: '', ...env } }).stdout;
}

test.skipIf(!hasTerminals).each(['list', 'events', '--help', 'try tool.calling tool=Bash command="git push"', 'trust'])(
  'NO_COLOR and --no-color take nothing but colour from hookloop %s',
  command => {
    const inColour = shown(command, {});
    const plain = inColour.replaceAll(colours, '').replaceAll(/world-\w+/g, '');
    for (const [args, env] of [
      [command, { NO_COLOR: '1' }],
      [`${command} --no-color`, {}],
    ] as const) {
      const without = shown(args, env);
      expect(without).not.toMatch(colours);
      expect(without.replaceAll(/world-\w+/g, '')).toBe(plain);
    }
    expect(inColour).toMatch(colours);
  },
);

test.skipIf(!hasTerminals).each([
  ['NO_COLOR', '', { NO_COLOR: '1' }],
  ['--no-color', ' --no-color', {}],
])('with %s a session keeps its live view', (_how, option, env) => {
  const printed = shown(`run --agent scripted:script.yaml --session s --prompt go --max-retries 0${option}`, env);
  expect(printed).toMatch(otherControls);
  expect(printed).not.toMatch(/\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])(?:;\d+)*m/);
});
