import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ScriptTool } from './script.ts';

/** The edit that ticks a task; where there is none to tick, a tool that fails and says so. */
export function tickTool({ file, task }: { file: string; task?: string }, cwd: string): ScriptTool {
  let lines: string[];
  try {
    lines = readFileSync(resolve(cwd, file), 'utf8').split('\n');
  } catch (error) {
    return { name: 'Edit', input: { file_path: file }, fails: (error as Error).message };
  }
  const line = lines.find(each => /^\s*[-*+] \[ \] /.test(each) && (task === undefined || each.includes(task)));
  if (line === undefined) {
    const which = task === undefined ? 'task' : `task "${task}"`;
    return { name: 'Edit', input: { file_path: file }, fails: `${file} has no open ${which}` };
  }
  return { name: 'Edit', input: { file_path: file, old_string: line, new_string: line.replace('[ ]', '[x]') } };
}
