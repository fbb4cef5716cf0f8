import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { presets } from '../../src/agents/presets.ts';
import type { EventName } from '../../src/model/index.ts';

/** What was seen of one event. `blocks`: what was refused did not happen. `feedback`: the model got a hook's text. */
export interface Seen {
  fires: boolean;
  blocks: boolean;
  feedback: boolean;
}

/** `hooks`: the agent's own hooks call us. `run`: our loop runs the agent. */
export type Way = 'hooks' | 'run';

/** What a suite has seen, kept for the table in docs/agents.md. */
export function createSeen(agent: string, way: Way) {
  const events: Partial<Record<EventName, Seen>> = {};
  return {
    note(event: EventName, seen: Partial<Seen>): void {
      const before = events[event] ?? { fires: false, blocks: false, feedback: false };
      events[event] = {
        fires: before.fires || seen.fires === true,
        blocks: before.blocks || seen.blocks === true,
        feedback: before.feedback || seen.feedback === true,
      };
    },
    keep(): void {
      const folder = process.env['HOOKLOOP_SEEN_DIR'];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, `${agent}.${way}.json`),
        JSON.stringify({ agent, way, package: presets[agent]?.package, events }),
      );
    },
  };
}
