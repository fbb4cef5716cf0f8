import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ActionOutcome } from '../../model/index.ts';
import { claudeFamilyName, shellTextOf } from '../../model/tools.ts';
import type { ScriptTool } from './script.ts';

export type Acted =
  | { kind: 'done'; output: unknown; edited: readonly string[] }
  | { kind: 'failed'; output: unknown; error: string; edited: readonly string[] };

export interface ActPlace {
  cwd: string;
  run(script: string): Promise<ActionOutcome>;
}

/** Does what the tool of that name does; tools that nobody knows give back what the script says. */
export async function act(tool: ScriptTool, place: ActPlace): Promise<Acted> {
  if (tool.fails !== undefined) return failed(tool.fails);
  const acts = tools[claudeFamilyName(tool.name) ?? tool.name];
  if (!acts) return done(tool.output ?? '');
  try {
    return await acts((tool.input ?? {}) as Fields, place);
  } catch (error) {
    return failed((error as Error).message);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const tools: Readonly<Record<string, (input: Fields, place: ActPlace) => Promise<Acted> | Acted>> = {
  async Bash(input, { run }) {
    const command = shellTextOf(input);
    if (command === undefined) return failed('input.command is missing');
    const outcome = await run(command);
    if (outcome.kind !== 'exited') return failed(outcome.kind === 'not-started' ? outcome.reason : outcome.kind);
    const { stdout, stderr, exitCode } = outcome;
    const output = { stdout, stderr, exit_code: exitCode };
    return exitCode === 0 ? done(output) : failed(`exit code ${exitCode}\n${stderr}`.trim(), output);
  },
  Write(input, { cwd }) {
    const path = textOf(input, 'file_path');
    const file = resolve(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(input, 'content'));
    return done(`wrote ${path}`, [path]);
  },
  Edit(input, { cwd }) {
    const path = textOf(input, 'file_path');
    const [before, after] = [textOf(input, 'old_string'), textOf(input, 'new_string')];
    const content = readFileSync(resolve(cwd, path), 'utf8');
    if (!content.includes(before)) return failed(`${path} does not contain the text to replace`);
    writeFileSync(
      resolve(cwd, path),
      input['replace_all'] === true ? content.replaceAll(before, () => after) : content.replace(before, () => after),
    );
    return done(`edited ${path}`, [path]);
  },
  Read: (input, { cwd }) => done(readFileSync(resolve(cwd, textOf(input, 'file_path')), 'utf8')),
};

function textOf(input: Fields, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Error(`input.${name} is missing`);
  return value;
}

const done = (output: unknown, edited: readonly string[] = []): Acted => ({ kind: 'done', output, edited });
const failed = (error: string, output: unknown = error): Acted => ({ kind: 'failed', output, error, edited: [] });
