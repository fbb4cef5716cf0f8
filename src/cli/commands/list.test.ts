import { expect, test } from 'vitest';
import { runHere } from '../../../test/here.ts';
import { createSandbox } from '../../hooks/trust/fixtures/sandbox.ts';

const list = (sandbox: ReturnType<typeof createSandbox>, ...args: string[]) =>
  runHere({ project: sandbox.project, home: sandbox.env['HOME']! }, ['list', ...args]);

test('a file with 90,000 gates is listed to its end', async () => {
  const sandbox = createSandbox();
  sandbox.write('.sauna/hooks.json', JSON.stringify(Array.from({ length: 90_000 }, () => 'x')));
  const { exit, stdout } = await list(sandbox);
  expect([exit, stdout.split('\n').at(-3)]).toEqual([0, '90000 hooks']);
});

test('what is listed as JSON cannot steer a terminal and reads as the same text', async () => {
  const sandbox = createSandbox();
  const command = 'echo \u009b31m \u0085 \u202e \u007f';
  sandbox.write('.sauna/hooks.json', JSON.stringify([command]));
  const { stdout } = await list(sandbox, '--json');
  expect(stdout).not.toMatch(/[\u007f-\u009f\u202a-\u202e]/);
  expect(JSON.parse(stdout)[0].action.command).toBe(command);
});

test('warnings about hook files are told in a line each', async () => {
  const sandbox = createSandbox();
  sandbox.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "post_tool"\ncommand = "x"\ntimout = 3\n');
  expect((await list(sandbox)).stderr).toBe(
    '.nyzhi/config.toml:4:1: warning: unknown key "timout" (did you mean timeout?)\n1 warning in hook files; see hookloop check\n',
  );
});
