import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ScriptedTurn } from '../../src/hosts/doctor/model-server.ts';
import { eventually } from '../contracts/agent.ts';
import type { RealAgent } from './cases/case.ts';
import { missingIn } from './heard.ts';
import { createPlace, type Place } from './place.ts';
import { type RunningProgram, runProgram } from './run-program.ts';

const hooks = {
  '.sauna/hooks.json': '{ "hooks": [{ "name": "it is fixed", "command": "cat fixed.txt" }] }\n',
  '.nyzhi/config.toml': `[[agent.hooks]]
event = "pre_tool"
tool_name = "bash"
command = "if grep -q 'bad[.]txt'; then echo 'bad.txt is not wanted here'; exit 1; fi"
block = true

[[agent.hooks]]
event = "after_edit"
command = "echo {file} >> ../edited.log"
`,
  '.iteratr.hooks.yml': `version: 1
hooks:
  post_iteration:
    - command: "echo the linter has found 3 flaws"
      pipe_output: true
`,
};

/** Whole loops of a real agent, through the program as it is shipped. */
export function testLoop(real: RealAgent): void {
  const binFolder = inject('agentFolders')[real.name];
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    let heard: readonly string[] = [];
    let running: RunningProgram | undefined;
    const run = (...args: string[]) => runProgram(inject('program'), args, place);
    const edits = () => place.read('../edited.log')?.match(/begun/g)?.length ?? 0;

    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
      for (const [file, text] of Object.entries(hooks)) place.write(file, text);
    });
    afterAll(() => place.leave());

    test('a loop works on, and what it was told comes back in order', async () => {
      const goesOn = real.ownHooksAskFirst || real.afterRefusal === 'goes-on';
      const turns: ScriptedTurn[] = [
        { text: 'I write.', tools: [real.write(place.pathOf('made.txt'), 'made\n')] },
        { text: 'I try.', tools: [real.shell('echo bad > bad.txt')] },
        ...(goesOn ? [{ text: 'I could not.' }] : []),
        { text: 'I fix.', tools: [real.write(place.pathOf('fixed.txt'), 'fixed\n')] },
        { text: 'It is fixed.' },
        { text: 'I begin.', tools: [real.write(place.pathOf('begun.txt'), 'begun\n')] },
        { hold: true },
      ];
      place.model.script(turns);
      const words = ['--prompt', 'Build the thing.', '--agent', real.name, '--max-iterations', '2'];
      running = run('run', ...words, '--session', 'whole');
      const ended = running.ended.then(({ stderr }) => stderr);
      const isHeld = eventually(() => place.model.heard().length === turns.length && edits() > 0, 60_000);
      const early = await Promise.race([ended, isHeld.then(() => undefined)]);
      heard = place.model.heard();
      expect(heard.length, early).toBe(turns.length);
    });

    test('a loop does not run a command that a hook refuses', () => {
      expect(place.read('bad.txt')).toBeUndefined();
      expect(heard.some(text => text.includes('I try.'))).toBe(true);
    });

    test('a loop fires hooks for edits', () =>
      expect(place.read('../edited.log')).toBe('made.txt\nfixed.txt\nbegun.txt\n'));

    test('a gate that fails and why a call was refused go back into the same conversation', () => {
      const fix = heard.find(text => text.includes('Hook failed: cat fixed.txt')) ?? '';
      expect(missingIn(fix, 'Build the thing.', 'I write.', 'I try.', 'bad.txt is not wanted here')).toEqual([]);
    });

    test('piped output of an iteration reaches the next one, which is a new conversation', () => {
      const second = heard.at(-1) ?? '';
      expect(missingIn(second, 'Build the thing.', 'the linter has found 3 flaws')).toEqual([]);
      expect(missingIn(second, 'I fix.', 'I write.')).toEqual(['I fix.', 'I write.']);
    });

    test('a loop killed in the middle of a turn goes on in a new process and the same conversation', async () => {
      running!.kill('SIGKILL');
      expect((await running!.ended).exit).toBe('SIGKILL');
      place.age();
      place.model.script([{ hold: true }]);
      running = run('resume', 'whole');
      await eventually(() => place.model.heard().length === 1, 60_000);
      const again = place.model.heard()[0] ?? '';
      expect(missingIn(again, 'Build the thing.', 'I begin.', 'The session was cut off')).toEqual([]);
    });

    test('a loop interrupted in the middle of a turn ends, leaves no process and says how it goes on', async () => {
      running!.kill('SIGINT');
      const { exit, stderr } = await running!.ended;
      expect(exit, stderr).toBe(130);
      expect(stderr).toContain('hookloop resume whole');
      expect(place.running()).toEqual([]);
    });

    test('a loop that was killed and interrupted comes to its end, decided with a tool of ours; no hook has run twice', async () => {
      place.age();
      const turns: ScriptedTurn[] = [
        { text: 'I end it.', tools: [real.mcp('hookloop', 'finish', { decision: 'stop' })] },
        { text: 'That was all.' },
        { text: 'I have heard what came last.' },
      ];
      place.model.script(turns);
      const { exit, stderr } = await run('resume', 'whole').ended;
      expect(exit, stderr).toBe(0);
      expect(place.model.heard().length, stderr).toBe(turns.length);
      expect(missingIn(place.model.heard()[0] ?? '', 'Build the thing.', 'I begin.')).toEqual([]);
      expect(missingIn(place.model.heard().at(-1) ?? '', 'the linter has found 3 flaws')).toEqual([]);
      const status = place.read('.hookloop/sessions/whole/stage-00-work/iterations/002/status.json') ?? '{}';
      expect(JSON.parse(status), stderr).toMatchObject({ decision: 'stop' });
      expect(edits()).toBe(1);
      expect(place.running()).toEqual([]);
    });

    test('the log tells what the agent was sent, said, did and used, and what hooks told it', async () => {
      const { stdout } = await run('log', 'whole', '--json').ended;
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, unknown> & { type: string });
      const told = (type: string, field: string): unknown[] =>
        lines.filter(line => line.type === type).map(line => line[field]);
      expect(String(told('agent.prompt', 'text')[0])).toContain('Build the thing.');
      expect(told('agent.message', 'text').join('\n')).toContain('I write.');
      expect(told('agent.tool', 'status')).toEqual(expect.arrayContaining(['completed', 'refused']));
      expect(told('agent.told', 'text').join('\n')).toContain('bad.txt is not wanted here');
      expect(told('file.changes', 'files').flat()).toContainEqual(expect.objectContaining({ path: 'made.txt' }));
      for (const tokens of told('agent.usage', 'tokens'))
        expect(tokens).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
      expect(told('agent.usage', 'tokens').length, 'turns with usage').toBeGreaterThan(0);
    });
  });
}
