import { agentNamed, hosts } from '../../hosts/index.ts';
import { readEvents } from '../../hosts/native-events.ts';
import { transcriptFormats } from '../../hosts/transcript-formats.ts';
import type { HookEvent } from '../../model/index.ts';
import { type Fields, isObject, isTooDeep, jsonOf } from '../../model/json.ts';
import { boundedLines } from '../../platform/bounded-lines.ts';

/** A tool call of a transcript, and the line that it stands in. */
interface FoundCall {
  event: HookEvent<'tool.calling'>;
  line: number;
}

/** Lines that say nothing because of what they are. */
export interface SkippedLines {
  /** Longer than anyone reads. */
  long: number;
  /** No JSON. */
  damaged: number;
}

export const newSkippedLines = (): SkippedLines => ({ long: 0, damaged: 0 });

/** An agent's message with images has a few MiB; what is longer is no message. */
const maxLineBytes = 32 * 1024 * 1024;

/** The calls of one file in any format that is known, line by line. Contract: throws the system's error for the file. */
export function* callsIn(path: string, skipped: SkippedLines): Generator<FoundCall> {
  const open = transcriptFormats.map(({ agent, marks, open: opened }) => ({
    host: hosts[agentNamed(agent)!],
    marks: marks.map(mark => Buffer.from(mark)),
    callsOf: opened(),
  }));
  for (const { number, bytes } of boundedLines(path, maxLineBytes)) {
    if (!bytes) skipped.long += 1;
    const wanted = bytes ? open.filter(({ marks }) => marks.some(mark => bytes.includes(mark))) : [];
    const line = wanted.length > 0 ? lineOf(bytes!) : undefined;
    if (line === 'damaged') skipped.damaged += 1;
    else if (line)
      for (const { host, callsOf } of wanted)
        for (const { native, payload } of callsOf(line)) {
          const read = readEvents(host, native, payload, () => '');
          if (read.kind !== 'events') continue;
          for (const event of read.events)
            if (event.name === 'tool.calling') yield { event: event as never, line: number };
        }
  }
}

function lineOf(bytes: Buffer): Fields | 'damaged' | undefined {
  const value = jsonOf(bytes.toString('utf8'));
  if (value === undefined) return 'damaged';
  return isObject(value) && !isTooDeep(value) ? value : undefined;
}
