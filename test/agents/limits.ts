import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { resolveAgent } from '../../src/agents/index.ts';
import { createListening, never } from '../contracts/agent.ts';
import type { RealAgent } from './cases/case.ts';
import { limitCases } from './cases/limits.ts';
import { createPlace, type Place } from './place.ts';

const silenceMs = 5000;
/** Agents tell minutes, and the machine may be busy. */
const minuteMs = 60_000;

/** What a real agent makes of a provider that lets it in no more. */
export function testLimits(real: RealAgent): void {
  const binFolder = inject('agentFolders')[real.name];
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    beforeEach(async () => {
      place = await createPlace(real, binFolder!);
    });
    afterEach(() => place.leave());

    test.each(limitCases[real.name]!)('is limited by $name', async ({ answer, limit, seconds, isSilent, env: own }) => {
      const env = Object.fromEntries(Object.entries({ ...place.env, ...own }).filter(([, value]) => value !== ''));
      const port = resolveAgent(real.name, { cwd: place.project, env, silenceMs: isSilent ? silenceMs : null });
      if (!('start' in port)) throw new Error(port.message);
      const { listener } = createListening();
      const started = await port.start({ cwd: place.project, env, mcpServers: [], signal: never, listener });
      if (started.kind !== 'started') throw new Error(started.reason);
      const conversed = await started.agent.converse();
      if (conversed.kind !== 'open') throw new Error(conversed.reason);
      const prompt = () => conversed.conversation.prompt(['Say hello.'], { signal: never });
      // Some load half of themselves with their first request, which on a busy machine is a silence of its own.
      for (let tries = 0; isSilent && tries < 10; tries += 1) if ((await prompt()).kind === 'ended') break;
      place.model.script(Array.from({ length: 100 }, () => ({ answers: answer() })));
      const turn = await prompt();
      await started.agent.stop();
      expect(turn).toMatchObject({ kind: 'limited', limit });
      expect(place.model.heard().length).toBeGreaterThan(0);
      if (turn.kind !== 'limited') return;
      if (isSilent) expect(turn.reason).toContain('nothing came from the agent for 5 s');
      if (seconds === undefined) return expect(turn.until).toBeUndefined();
      const offMs = Date.parse(turn.until!) - Date.now() - seconds * 1000;
      expect(Math.abs(offMs)).toBeLessThan(2 * minuteMs);
    });
  });
}
