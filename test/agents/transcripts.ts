import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ScriptedTurn } from '../../src/hosts/doctor/model-server.ts';
import { transcriptFormats } from '../../src/hosts/transcript-formats.ts';
import type { RealAgent } from './cases/case.ts';
import { headless } from './cases/headless.ts';
import { createPlace, type Place } from './place.ts';
import { runCommand, runProgram } from './run-program.ts';

export interface TranscriptCase {
  /** More turns of its model: subagents, and what else only this agent has. */
  turns?(
    shell: (command: string) => { name: string; args: Readonly<Record<string, unknown>> },
  ): readonly ScriptedTurn[];
  /** How many calls those make. */
  calls?: number;
  /** Arguments that go on with the last conversation in a new file. */
  fork?(session: string): readonly string[];
}

const rules = [
  'hooks:',
  '  tool.calling:',
  '    - { deny: Only people push., command: git push, name: no-push }',
  '    - { ask: May it delete?, command: rm }',
  '    - { deny: Sources are made by hand., files: "src/**" }',
  '',
].join('\n');

/** What a real agent writes down of its work is what the rules are asked about, before anything is installed. */
export function testTranscripts(real: RealAgent, { turns, calls = 0, fork }: TranscriptCase = {}): void {
  const binFolder = inject('agentFolders')[real.name];
  const alone = headless[real.name]!;
  const format = transcriptFormats.find(({ agent }) => agent === real.name)!;
  const shell = (alone.shell ?? real.shell) as NonNullable<Parameters<NonNullable<typeof turns>>[0]>;
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    const run = async (script: readonly ScriptedTurn[], ...more: readonly string[]) => {
      place.model.script(script);
      const command = [join(binFolder!, alone.program), ...alone.args('Do the work.'), ...more];
      const { exit, stdout, stderr } = await runCommand(command, place, alone.env).ended;
      expect(exit, stdout + stderr).toBe(0);
    };
    const files = (): string[] => {
      const folder = format.folder({ home: place.home, env: place.env });
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.jsonl'))
        .map(name => join(folder, name));
    };
    const backtest = async (...args: string[]) => {
      const { exit, stdout, stderr } = await runProgram(inject('program'), ['backtest', '--json', ...args], place)
        .ended;
      expect(exit, stderr).toBe(0);
      return JSON.parse(stdout);
    };

    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
      alone.prepare?.(place.home, place.project);
      place.write('hookloop.yaml', rules);
      await run([
        { text: 'I look.', tools: [real.read(place.pathOf('README.md'))] },
        { text: 'I push.', tools: [shell('cd . && git push origin main')] },
        { text: 'I write.', tools: [real.write(place.pathOf('src/made.ts'), 'made\n')] },
        ...(turns?.(shell) ?? []),
        { text: 'That is all.' },
      ]);
    });
    afterAll(() => place.leave());

    test('the rules are asked about every call, and say which they would have stopped', async () => {
      const { calls: found, stopped, asked, changed } = await backtest();
      expect(found).toBe(3 + calls);
      expect(stopped).toBe(2);
      expect(asked).toBe(calls > 0 ? 1 : 0);
      const byRule = (line: number) => changed.find(({ rule }: { rule: { line: number } }) => rule.line === line);
      expect(byRule(3)).toMatchObject({
        ...{ agent: real.name, tool: 'Bash', about: 'cd . && git push origin main', now: 'block', was: 'proceed' },
      });
      expect(byRule(5)).toMatchObject({ about: place.pathOf('src/made.ts'), message: 'Sources are made by hand.' });
      for (const { place: at } of changed) expect(files()).toContain(at.file);
    });

    test('calls of other projects are left out, unless they are asked for', async () => {
      place.write('../other/hookloop.yaml', rules);
      const elsewhere = ['-C', place.pathOf('../other')];
      expect(await backtest(...elsewhere)).toMatchObject({ calls: 0, skipped: { elsewhere: 3 + calls } });
      expect(await backtest(...elsewhere, '--all')).toMatchObject({ calls: 3 + calls, stopped: 2 });
    });

    test.runIf(fork)('a call that stands in two files is one call', async () => {
      const [first] = (await backtest()).changed;
      const before = files().length;
      await run([{ text: 'I went on.' }], ...fork!(first.session));
      expect(files().length).toBeGreaterThan(before);
      expect(await backtest()).toMatchObject({ calls: 3 + calls, stopped: 2 });
    });
  });
}
