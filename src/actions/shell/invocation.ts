import type { Invocation } from '../../model/index.ts';
import type { Scratch } from '../scratch.ts';
import { withoutNul } from './environment.ts';

/** What is handed to the system, and the file that holds the script where it is too long for an argument. */
export interface CommandLine {
  file: string;
  args: readonly string[];
  scriptFile?: string;
}

/** Linux refuses an argument over 128 KiB, counting the NUL at its end. */
const maxArgumentBytes = 128 * 1024 - 1;

/** Contract: throws only if a long script cannot be written to its file. */
export function toCommandLine(run: Invocation, scratch: Scratch, warn: (text: string) => void): CommandLine {
  if (run.via === 'exec') {
    const clean = (text: string): string => withoutNul(text, 'the command', warn);
    return { file: clean(run.file), args: run.args.map(clean) };
  }
  const script = withoutNul(run.script, 'the command', warn);
  if (script.length * 3 <= maxArgumentBytes || Buffer.byteLength(script) <= maxArgumentBytes) {
    // A script that starts with a dash would be taken for an option.
    return {
      file: run.via,
      args: script.startsWith('-') || script.startsWith('+') ? ['-c', '--', script] : ['-c', script],
    };
  }
  const scriptFile = scratch.write('script', script);
  return { file: run.via, args: [scriptFile], scriptFile };
}
