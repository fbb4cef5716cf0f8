import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ScriptedTurn } from '../../src/hosts/doctor/model-server.ts';
import type { EventName } from '../../src/model/index.ts';
import { eventually } from '../contracts/agent.ts';
import type { RealAgent } from './cases/case.ts';
import { headless } from './cases/headless.ts';
import { missingIn } from './heard.ts';
import { fiveDialects, nyzhiGate } from './hooks/five-dialects.ts';
import { createPlace, type Place } from './place.ts';
import { runCommand, runProgram } from './run-program.ts';
import { createSeen } from './seen.ts';

/** After this the hooks have nothing more against the end of a turn. */
const refusedOften = 'turn.ending native\nturn.ending a5c\n'.repeat(3);

/** A real agent by itself, whose own hooks call us because `hookloop install` made them. */
export function testHosts(real: RealAgent): void {
  const binFolder = inject('agentFolders')[real.name];
  const alone = headless[real.name]!;
  const shell = alone.shell ?? real.shell;
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    let heard: readonly string[] = [];
    const seen = createSeen(real.name, 'hooks');

    const hookloop = async (...args: string[]) => {
      const { exit, stdout, stderr } = await runProgram(inject('program'), args, place).ended;
      expect(exit, stderr + stdout).toBe(0);
    };
    /** One run of the agent; what its model heard, turn by turn. */
    const run = async (prompt: string, turns: readonly ScriptedTurn[], past = '') => {
      place.write('../fired.log', past);
      place.model.script(turns);
      const ended = await runCommand([join(binFolder!, alone.program), ...alone.args(prompt)], place, alone.env).ended;
      heard = place.model.heard();
      const told = `${ended.exit}\n${ended.stdout}\n${ended.stderr}\n${heard.at(-1)}`;
      return { ...ended, told };
    };
    const fired = () => (place.read('../fired.log') ?? '').trim().split('\n');
    const dialectsOf = (event: EventName) =>
      [...new Set(fired().filter(line => line.startsWith(`${event} `)))].map(line => line.split(' ')[1]).sort();
    const timesOf = (event: EventName, dialect = 'native') =>
      fired().filter(line => line === `${event} ${dialect}`).length;
    const everHeard = (text: string) => heard.some(conversation => conversation.includes(text));

    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
      alone.prepare?.(place.home, place.project);
      await hookloop('install', real.name);
    });
    afterAll(async () => {
      seen.keep();
      await place.leave();
    });

    test('hooks that no one trusts refuse, and the model hears what to do about it', async () => {
      place.write('config.toml', nyzhiGate);
      const { told } = await run('Run it.', [
        { text: 'I try.', tools: [shell('echo ran > untrusted.txt')] },
        { text: 'I could not.' },
      ]);
      expect(place.read('untrusted.txt'), told).toBeUndefined();
      expect(heard.length, told).toBe(2);
      expect(missingIn(heard[1]!, 'hookloop trust')).toEqual([]);
      expect(fired()).toEqual(['']);
    });

    test('runs once with hooks in five files', async () => {
      for (const [file, text] of Object.entries(fiveDialects)) place.write(file, text);
      await hookloop('trust', '--yes');
      const stops = alone.goesOn ? [{ text: 'Then more.' }, { text: 'And more.' }] : [];
      const turns: ScriptedTurn[] = [
        { text: 'One.', tools: [shell('echo ran > refused-native.txt')] },
        { text: 'Two.', tools: [shell('echo ran > refused-nyzhi.txt')] },
        { text: 'Three.', tools: [shell('echo ran > refused-a5c.txt')] },
        { text: 'Four.', tools: [shell('echo ran > ran.txt # allowed-call')] },
        { text: 'Five.', tools: [real.write(place.pathOf('made.txt'), 'b\na\n')] },
        { text: 'Six.', tools: [real.write(place.pathOf('made.md'), 'a flaw\n')] },
        { text: 'Seven.', tools: [shell('cat missing.txt')] },
        ...(alone.task ?? []),
        { text: 'That is all.' },
        ...stops,
      ];
      const { exit, told } = await run('Do the work.', turns);
      expect(exit, told).toBe(0);
      expect(heard.length, told).toBe(turns.length);
    });

    test.each(['native', 'nyzhi', 'a5c'])(
      'a command that %s refuses does not run, and the model hears why',
      dialect => {
        expect(place.read(`refused-${dialect}.txt`)).toBeUndefined();
        expect(everHeard(`${dialect} refuses this call`)).toBe(true);
        expect(dialectsOf('tool.calling')).toContain(dialect);
        seen.note('tool.calling', { fires: true, blocks: true });
      },
    );

    test('a command that nothing refuses runs', () => expect(place.read('ran.txt')).toBe('ran\n'));

    test('a hook before a call is heard by the model', () => {
      expect(everHeard('native lets it pass')).toBe(true);
      seen.note('tool.calling', { feedback: true });
    });

    test('hooks after a call run once each, and the model hears them', () => {
      expect(dialectsOf('tool.called')).toEqual(['a5c', 'native', 'nyzhi']);
      for (const dialect of ['a5c', 'native', 'nyzhi']) expect(everHeard(`${dialect} has seen the call`)).toBe(true);
      seen.note('tool.called', { fires: true, feedback: true });
    });

    test('hooks after an edit have changed the file, once for each edit', () => {
      expect(place.read('made.txt')).toBe('a\nb\n');
      expect(timesOf('file.edited', 'nyzhi')).toBe(1);
      expect(timesOf('file.edited')).toBe(2);
      seen.note('file.edited', { fires: true });
    });

    test('a flaw that a hook finds in an edited file is heard by the model', () => {
      expect(everHeard('native has found a flaw')).toBe(true);
      seen.note('file.edited', { feedback: true });
    });

    test('hooks at the start of its session are heard by the model, whichever file they are in', () => {
      expect(dialectsOf('session.starting')).toEqual(['a5c', 'iteratr', 'native', 'nyzhi']);
      for (const dialect of ['a5c', 'iteratr', 'native', 'nyzhi']) expect(everHeard(`${dialect} greets`)).toBe(true);
      seen.note('session.starting', { fires: true, feedback: true });
    });

    test('a hook that reads the prompt is heard by the model', () => {
      expect(timesOf('prompt.submitting')).toBe(alone.promptsAgain ? 3 : 1);
      expect(everHeard('native has read the prompt')).toBe(true);
      seen.note('prompt.submitting', { fires: true, feedback: true });
    });

    test.runIf(alone.tellsOfFailures)('a command that fails is told, and hooks are heard by the model', () => {
      expect(dialectsOf('tool.failed')).toEqual(['native', 'nyzhi']);
      for (const dialect of ['native', 'nyzhi']) expect(everHeard(`${dialect} has seen the failure`)).toBe(true);
      seen.note('tool.failed', { fires: true, feedback: true });
    });

    test.runIf(alone.task)('a task whose gate fails is not done, and the model hears what the gate said', () => {
      expect(dialectsOf('task.completing')).toContain('sauna');
      expect(everHeard('cat: gate.txt: No')).toBe(true);
      expect(everHeard(alone.taskDone!)).toBe(false);
      seen.note('task.completing', { fires: true, blocks: true, feedback: true });
    });

    test.runIf(alone.goesOn)('a turn that may not end goes on, and the model hears why', () => {
      const [beforeLast = '', last = ''] = heard.slice(-2);
      expect(missingIn(beforeLast, 'native wants more', 'a5c wants more')).toEqual(['a5c wants more']);
      expect(missingIn(last, 'native wants more', 'a5c wants more')).toEqual([]);
      seen.note('turn.ending', { blocks: true, feedback: true });
    });

    test('the end of its turn is told', async () => {
      const times = alone.goesOn ? 3 : 1;
      await eventually(() => timesOf('turn.ending') === times && timesOf('turn.ending', 'a5c') === times, 5000);
      seen.note('turn.ending', { fires: true });
      if (!alone.goesOn) return;
      expect(dialectsOf('turn.ended')).toEqual(['native', 'nyzhi']);
      seen.note('turn.ended', { fires: true });
    });

    test.runIf(alone.tellsOfEnd)('the end of its session is told', async () => {
      await eventually(() => dialectsOf('session.ended').length === 2, 5000);
      seen.note('session.ended', { fires: true });
    });

    test('leaves no process', () => eventually(() => place.running().length === 0, 5000));

    test('a prompt that a hook refuses reaches no model', async () => {
      const { told } = await run('This is forbidden.', [{ text: 'It is refused.' }], refusedOften);
      expect(timesOf('prompt.submitting'), told).toBe(1);
      expect(everHeard('This is forbidden.')).toBe(false);
      if (alone.dropsPrompts) expect(heard).toEqual([]);
      else expect(missingIn(heard[0] ?? '', 'native refuses the prompt')).toEqual([]);
      seen.note('prompt.submitting', { blocks: true });
    });

    test.runIf(!alone.dropsPrompts)('the end of a turn that no one refuses is told', async () => {
      await eventually(() => dialectsOf('turn.ended').length === 2, 5000);
      seen.note('turn.ended', { fires: true });
    });

    test.runIf(alone.tellsOfModel)('a model that fails is told', async () => {
      const { told } = await run(
        'This goes wrong.',
        Array.from({ length: 50 }, () => ({ fails: true }) as const),
      );
      await eventually(() => dialectsOf('iteration.failed').length === 2, 5000).catch(() => expect.fail(told));
      seen.note('iteration.failed', { fires: true });
    });
  });
}
