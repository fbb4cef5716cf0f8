import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { EventName } from '../../src/model/index.ts';
import type { RealAgent } from './cases/case.ts';
import { missingIn } from './heard.ts';
import { fiveDialects } from './hooks/five-dialects.ts';
import type { ScriptedTurn } from './models/server.ts';
import { createPlace, type Place } from './place.ts';
import { runProgram } from './run-program.ts';
import { createSeen } from './seen.ts';

/** The same hooks while our loop runs the agent: its own hooks and the protocol tell of the same things. */
export function testBridge(real: RealAgent): void {
  const binFolder = inject('agentFolders')[real.name];
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    let heard: readonly string[] = [];
    const seen = createSeen(real.name, 'run');
    const fired = () => (place.read('../fired.log') ?? '').trim().split('\n');
    const timesOf = (event: EventName, dialect = 'native') =>
      fired().filter(line => line === `${event} ${dialect}`).length;
    const everHeard = (text: string) => heard.some(conversation => conversation.includes(text));

    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
      for (const [file, text] of Object.entries(fiveDialects)) place.write(file, text);
      place.write('gate.txt', 'open\n');
      place.write('refused-native.md', 'the hidden text\n');
    });
    afterAll(async () => {
      seen.keep();
      await place.leave();
    });

    test('in a loop: runs once with hooks in five files', async () => {
      const turns: ScriptedTurn[] = [
        { text: 'One.', tools: [real.write(place.pathOf('made.txt'), 'b\na\n')] },
        { text: 'Two.', tools: [real.write(place.pathOf('made.md'), 'a flaw\n')] },
        { text: 'Three.', tools: [real.shell('echo ran > ran.txt # allowed-call')] },
        { text: 'Four.', tools: [real.read(place.pathOf('refused-native.md'))] },
        ...(real.readRefusal === 'goes-on' ? [{ text: 'That is all.' }] : []),
        { text: 'Then more.' },
        { text: 'And more.' },
      ];
      place.model.script(turns);
      const args = ['--prompt', 'Do the work.', '--agent', real.name, '--max-iterations', '1', '--session', 'bridged'];
      const { exit, stderr } = await runProgram(inject('program'), ['run', ...args], place).ended;
      heard = place.model.heard();
      if (process.env['HOOKLOOP_SHOW'])
        console.log(exit, stderr, heard.length, heard.at(-1), place.read('../fired.log'));
      expect(exit, stderr).toBe(0);
      expect(heard.length, stderr).toBe(turns.length);
    });

    test('in a loop: a refused tool that the agent would not have asked about does not run, and the model hears why', () => {
      expect(everHeard('the hidden text')).toBe(false);
      expect(everHeard('native refuses this call')).toBe(true);
      seen.note('tool.calling', { fires: true, blocks: true, feedback: true });
    });

    test('in a loop: each event is told exactly once', () => {
      expect(['tool.calling', 'tool.called', 'file.edited'].map(event => timesOf(event as EventName))).toEqual([
        4, 3, 3,
      ]);
      expect(timesOf('file.edited', 'nyzhi')).toBe(2);
      seen.note('tool.called', { fires: true });
      seen.note('file.edited', { fires: true });
    });

    test('in a loop: a turn that may not end goes on, and the model hears why', () => {
      expect(missingIn(heard.at(-1) ?? '', 'native wants more', 'a5c wants more')).toEqual([]);
      seen.note('turn.ending', { fires: true, blocks: true, feedback: true });
    });
  });
}
