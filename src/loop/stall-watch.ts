import { createHash } from 'node:crypto';
import { createChangeWatch } from '../agents/changes.ts';
import type { HookEvent } from '../model/index.ts';
import type { StallRule } from '../model/limits.ts';
import { toolKind } from '../model/tool-call.ts';
import { oneLine } from '../model/words.ts';
import type { Position, Session } from './session.ts';

/** A sign that the agent makes no progress. */
export interface Stall {
  reason: string;
  /** What it repeated, for the agent and for people. */
  evidence: string;
}

export type StallWatch = ReturnType<typeof createStallWatch>;

/** Watches a turn for an agent that makes no progress; undefined where no one wants it. A stage of a file that is so long and no longer is left alone. */
export function stallWatchFor(
  { rules: { stall }, plan, settings }: Session,
  { stage }: Position,
  hurry: () => AbortSignal,
): StallWatch | undefined {
  if (stall === 'off' || (stage?.termination.type === 'fixed' && plan.file !== undefined)) return undefined;
  return createStallWatch(stall, settings.root, hurry);
}

interface Called {
  call: string;
  result: string;
  words: string;
  atMs: number;
}

/**
 * Looks at the tool calls of one turn for an agent that goes round in circles: the same call with the same result again
 * and again, or two of them in turn, while no file changes. Files are looked at only once there is a suspicion.
 */
function createStallWatch(
  { repeats, alternations }: Pick<StallRule, 'repeats' | 'alternations'>,
  root: string,
  hurry: () => AbortSignal,
) {
  let calls: Called[] = [];
  let files: ReturnType<typeof createChangeWatch> | undefined;
  const forget = (): void => {
    calls = [];
    files = undefined;
  };
  /** The last calls, where they are as many times the same, or the same two in turn. */
  const round = (length: number, times: number): Called[] | undefined => {
    const last = calls.slice(-length * times);
    const isRound = last.length === length * times && last.every((one, at) => isSame(one, last[at % length]!));
    return isRound && (length === 1 || !isSame(last[0]!, last[1]!)) ? last : undefined;
  };
  return {
    /** A file was changed: whatever was repeated, it was no circle. */
    changed: forget,
    async called(event: Partial<HookEvent>): Promise<Stall | undefined> {
      if (event.name === 'tool.called' && toolKind(event.tool ?? '') === 'edit') {
        forget();
        return undefined;
      }
      calls = [...calls, toCalled(event)].slice(-2 * Math.max(repeats, alternations));
      const suspicion = round(1, 2) ?? round(2, 2);
      if (!suspicion) files = undefined;
      else if (!files) {
        files = createChangeWatch(root, hurry);
        await files.begin(suspicion[0]!.atMs);
      }
      const circle = round(1, repeats) ?? round(2, alternations);
      if (!circle || !files) return undefined;
      const changed = await files.changedSince();
      if (changed.length === 0 && !(await files.isBlind())) return signOf(circle, { repeats, alternations });
      forget();
      return undefined;
    },
  };
}

const signOf = (
  circle: readonly Called[],
  { repeats, alternations }: Pick<StallRule, 'repeats' | 'alternations'>,
): Stall =>
  isSame(circle[0]!, circle[1]!)
    ? {
        reason: 'the same call again and again',
        evidence: `${circle[0]!.words} was called ${repeats} times in a row with the same result, and no file changed`,
      }
    : {
        reason: 'two calls in turn',
        evidence: `${circle[0]!.words} and ${circle[1]!.words} were called ${alternations} times in turn with the same results, and no file changed`,
      };

const isSame = (one: Called, other: Called): boolean => one.call === other.call && one.result === other.result;

function toCalled({ name, tool = 'a tool', input, output, error }: Partial<HookEvent>): Called {
  const given = input === undefined ? '' : ` ${JSON.stringify(input)}`;
  return {
    call: hashOf([tool, input]),
    result: hashOf([name, output, error]),
    words: oneLine(`${tool}${given}`, 200),
    atMs: Date.now(),
  };
}

/** Results may be of any size; what is beyond this is compared by its length. */
const maxCompared = 4 * 1024 * 1024;

export function hashOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return createHash('sha256').update(text.slice(0, maxCompared)).update(String(text.length)).digest('hex').slice(0, 32);
}
