import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ScriptedTurn } from '../../src/hosts/doctor/model-server.ts';
import type { EventName } from '../../src/model/index.ts';
import type { RealAgent } from './cases/case.ts';
import { missingIn } from './heard.ts';
import { fiveDialects } from './hooks/five-dialects.ts';
import { createPlace, type Place } from './place.ts';
import { runProgram } from './run-program.ts';
import { createSeen } from './seen.ts';

/** The same hooks while our loop runs the agent: its own hooks and the protocol tell of the same things. */
export function testInSession(real: RealAgent): void {
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
        { text: 'Three and a half.', tools: [real.shell('cat missing.txt')] },
        { text: 'Four.', tools: [real.read(place.pathOf('refused-native.md'))] },
        ...(real.readRefusal === 'goes-on' ? [{ text: 'That is all.' }] : []),
        { text: 'Then more.' },
        { text: 'And more.' },
        { text: 'I open the gate.', tools: [real.write(place.pathOf('gate.txt'), 'open\n')] },
        { text: 'It is open.' },
      ];
      place.model.script(turns);
      const args = [
        '--prompt',
        'Do the work.',
        '--agent',
        real.name,
        '--max-iterations',
        '1',
        '--session',
        'in-session',
      ];
      const { exit, stderr } = await runProgram(inject('program'), ['run', ...args], place).ended;
      heard = place.model.heard();
      expect(exit, stderr).toBe(0);
      expect(heard.length, stderr).toBe(turns.length);
    });

    test('in a loop: a refused tool that the agent would not have asked about does not run, and the model hears why', () => {
      expect(everHeard('the hidden text')).toBe(false);
      expect(everHeard('native refuses this call')).toBe(true);
      seen.note('tool.calling', { fires: true, blocks: true, feedback: true });
    });

    test('in a loop: each event of a tool is told exactly once', () => {
      expect(timesOf('tool.calling')).toBe(6);
      expect(timesOf('tool.called') + timesOf('tool.failed')).toBe(5);
      expect([timesOf('file.edited'), timesOf('file.edited', 'nyzhi')]).toEqual([4, 3]);
      seen.note('tool.failed', {
        fires: timesOf('tool.failed') > 0,
        feedback: everHeard('native has seen the failure'),
      });
    });

    test('in a loop: what hooks say about tools reaches the model, and a formatted file stays so', () => {
      expect(place.read('made.txt')).toBe('a\nb\n');
      const said = ['native lets it pass', 'native has seen the call', 'native has found a flaw'];
      expect(said.filter(text => !everHeard(text))).toEqual([]);
      for (const event of ['tool.called', 'file.edited'] as const) seen.note(event, { fires: true, feedback: true });
    });

    test('in a loop: a turn that may not end goes on, and the model hears why', () => {
      expect(missingIn(heard.at(-1) ?? '', 'native wants more', 'a5c wants more')).toEqual([]);
      seen.note('turn.ending', { fires: true, blocks: true, feedback: true });
    });

    test('in a loop: a gate that fails sends the agent back, and it hears what the gate said', () => {
      expect(timesOf('task.completing', 'sauna')).toBe(2);
      expect(missingIn(heard.at(-1) ?? '', 'cat: gate.txt: No such file')).toEqual([]);
      seen.note('task.completing', { fires: true, blocks: true, feedback: true });
    });

    test('in a loop: the session tells the rest', () => {
      expect(missingIn(heard[0] ?? '', ...['native', 'iteratr', 'nyzhi', 'a5c'].map(name => `${name} greets`))).toEqual(
        [],
      );
      expect(everHeard('native has read the prompt')).toBe(true);
      expect([timesOf('session.starting'), timesOf('session.ended')]).toEqual([1, 1]);
      expect(timesOf('turn.ended')).toBeGreaterThan(0);
      for (const event of ['session.starting', 'prompt.submitting'] as const)
        seen.note(event, { fires: true, feedback: true });
      for (const event of ['turn.ended', 'session.ended'] as const) seen.note(event, { fires: true });
    });

    test('in a loop: nothing of it is left', () => expect(place.running()).toEqual([]));
  });
}
