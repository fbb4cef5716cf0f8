import { runCli } from '../src/cli/cli.ts';
import type { Ran, World } from './program.ts';

/** Runs a command in this process, which saves the start of one. What would be a bug of the program is thrown. */
export async function runHere(
  { project, home }: Pick<World, 'project' | 'home'>,
  args: readonly string[],
): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  const exit = await runCli(args, {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' },
    out: text => {
      stdout += text;
    },
    err: text => {
      stderr += text;
    },
    input: () => '',
    terminal: () => ({ color: false, columns: undefined }),
  });
  return { exit, stdout, stderr };
}
