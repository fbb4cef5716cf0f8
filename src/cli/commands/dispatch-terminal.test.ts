import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder } from '../../../test/program.ts';

const folder = temporaryFolder('dispatch-terminal');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasTerminals = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminals)('dispatch on a terminal prints for people, and names fields that mean nothing', () => {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', 'hooks:\n  tool.calling:\n    - { type: shell, name: guard, command: exit 1 }\n');
  world.write('payload.json', '{"tool_name": "Bash", "commmand": "ls", "hook_event_name": "PreToolUse"}');
  const inTerminal = (options: string): string =>
    world.run([], {
      env: { NO_COLOR: '1' },
      shell: `script -qec '"$NODE" "$PROGRAM" dispatch PreToolUse ${options} <payload.json' /dev/null </dev/null`,
    }).stdout;
  const shown = inTerminal('');
  expect(shown).toContain('no field of tool.calling: commmand;');
  expect(shown).toContain('x guard  failed (exit code 1): block  hookloop.yaml:3');
  expect(shown).not.toContain('"decision"');
  expect(inTerminal('--json')).toContain('{"event":"tool.calling","decision":{"kind":"block"');
  const piped = world.run(['dispatch', 'PreToolUse'], { input: '{"commmand": "ls"}' });
  expect(JSON.parse(piped.stdout)).toMatchObject({ decision: { kind: 'block' } });
  expect(piped.stderr).not.toContain('no field');
});
