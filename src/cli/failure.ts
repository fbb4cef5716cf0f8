import { entryFile, goneText } from '../model/gone.ts';
import { brokenPart } from '../platform/build.ts';
import { exit } from './exit.ts';
import { isWorldError } from './io.ts';

/** What a command that was thrown out says and ends with. `words`: what it was called with. */
export function failureOf(error: unknown, words: readonly string[]): { text: string; exitCode: number } {
  if (isWorldError(error)) return { text: `hookloop: ${error.message}\n`, exitCode: exit.failed };
  const broken = brokenPart(error);
  if (broken !== undefined) return { text: `hookloop: ${goneText(broken, entryFile(words))}\n`, exitCode: exit.failed };
  return {
    text: `hookloop: this is a bug: ${error instanceof Error ? error.stack : String(error)}\n`,
    exitCode: 70,
  };
}
