/** One promise of the program: files, then commands with what they must print and return. */
export interface Scenario {
  files: readonly { path: string; mode: number; text: string }[];
  steps: readonly Step[];
}

export interface Step {
  command: string;
  expected: Printed;
}

export interface Printed {
  stdout: string;
  stderr: string;
  exit: number;
}

/**
 * Lines that begin with # are for the reader. `-- PATH [MODE] --` begins a file, `$ COMMAND` a step; below a step `stdout:`
 * and `stderr:` begin a text (nothing is printed where they are absent) and `exit: N` is the code (else 0).
 */
export function parseScenario(text: string): Scenario {
  const files: { path: string; mode: number; lines: string[] }[] = [];
  const steps: { command: string; stdout: string[]; stderr: string[]; exit: number }[] = [];
  let lines: string[] | undefined;
  for (const line of text.split('\n')) {
    const file = /^-- (.+?)(?: ([0-7]{3}))? --$/.exec(line);
    const stream = /^(stdout|stderr):$/.exec(line)?.[1] as 'stdout' | 'stderr' | undefined;
    const exit = /^exit: (\d+)$/.exec(line)?.[1];
    const step = steps.at(-1);
    if (file) {
      lines = [];
      files.push({ path: file[1]!, mode: Number.parseInt(file[2] ?? '644', 8), lines });
    } else if (line.startsWith('$ ')) {
      lines = undefined;
      steps.push({ command: line.slice(2), stdout: [], stderr: [], exit: 0 });
    } else if (step && stream) {
      lines = step[stream];
    } else if (step && exit !== undefined) {
      step.exit = Number(exit);
      lines = undefined;
    } else if (lines) {
      lines.push(line);
    } else if (line.trim() !== '' && !line.startsWith('#')) {
      throw new Error(`a line that belongs to nothing: ${line}`);
    }
  }
  return {
    files: files.map(({ path, mode, lines: content }) => ({ path, mode, text: `${joined(content)}\n` })),
    steps: steps.map(({ command, stdout, stderr, exit }) => ({
      command,
      expected: { stdout: joined(stdout), stderr: joined(stderr), exit },
    })),
  };
}

const joined = (lines: readonly string[]): string => lines.join('\n').trimEnd();

/**
 * What was printed, with the expected lines in the place of those they stand for: `[..]` is any text inside a line,
 * `...` any number of lines. Equal to the expected text where all is as it must be, else a readable difference.
 */
export function asExpected(actual: string, expected: string): string {
  const [have, want] = [actual.trimEnd().split('\n'), expected.split('\n')];
  return fits(have, want) ? expected : actual.trimEnd();
}

function fits(have: readonly string[], want: readonly string[]): boolean {
  if (want.length === 0) return have.length === 0;
  const [line, ...rest] = want;
  if (line === '...') return have.length === 0 ? fits(have, rest) : fits(have, rest) || fits(have.slice(1), want);
  return have.length > 0 && patternOf(line!).test(have[0]!) && fits(have.slice(1), rest);
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('[..]')
      .map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );
