import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RealAgent } from './cases/case.ts';
import { missingIn } from './heard.ts';
import { createPlace, type Place } from './place.ts';
import { runProgram } from './run-program.ts';

const gate = `[[agent.hooks]]
event = "pre_tool"
tool_name = "shell, edit"
command = "if grep -q 'bad[.]txt'; then echo 'bad.txt is not wanted here'; exit 1; fi"
block = true
`;

/** An agent with a sandbox of its own writes by plain commands, for which it asks no one: gates say no, and nothing else does. */
export function testShellWrites(real: RealAgent, plain: (command: string) => ReturnType<RealAgent['shell']>): void {
  const binFolder = inject('agentFolders')[real.name];
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
    });
    afterAll(() => place.leave());

    test.each(['without hooks', 'with a gate'])('in a loop: commands write into the project, %s', async how => {
      if (how === 'with a gate') place.write('.nyzhi/config.toml', gate);
      place.model.script([
        { text: 'I write.', tools: [plain(`echo made > '${how}.txt'`)] },
        { text: 'I try.', tools: [plain('echo bad > bad.txt')] },
        { text: 'I try otherwise.', tools: [real.write(place.pathOf('bad.txt'), 'bad\n')] },
        { text: 'That is all.' },
      ]);
      const session = how.replaceAll(' ', '-');
      const args = ['run', '--prompt', 'Go.', '--agent', real.name, '--session', session, '--json'];
      const { exit, stdout, stderr } = await runProgram(inject('program'), args, place).ended;
      expect(exit, stderr).toBe(0);
      expect(place.read(`${how}.txt`), stderr).toBe('made\n');
      const isGated = how === 'with a gate';
      expect(place.read('bad.txt')).toBe(isGated ? undefined : 'bad\n');
      if (isGated) expect(missingIn(place.model.heard().at(-1) ?? '', 'bad.txt is not wanted here')).toEqual([]);
      else rmSync(place.pathOf('bad.txt'));
      const calls = stdout.split('\n').filter(line => line.includes('"type":"tool.calling"'));
      expect(calls.length).toBe(3);
    });
  });
}
