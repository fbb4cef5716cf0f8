import type { HookEvent } from '../../model/index.ts';
import { isObject } from '../../model/json.ts';
import { callKinds, shellTextOf } from '../../model/tool-call.ts';

/** What a hook for Claude sees of an input: with the fields that such scripts look at, so that a guard is not blind to the tools of other agents. */
export function inputForClaude(event: HookEvent): unknown {
  const { input = {} } = event;
  const fields = fieldsIn(input);
  const kinds = callKinds(event);
  if (kinds.has('shell')) {
    const command = shellTextOf(input);
    return command === undefined ? input : { ...fields, command };
  }
  const file = agentFileFields.map(name => fields[name]).find(value => value !== undefined);
  const isFileTool = kinds.has('edit') || kinds.has('read');
  return isFileTool && fields['file_path'] === undefined && file !== undefined ? { ...fields, file_path: file } : input;
}

/** The other way round: what such a hook has made of it, in the fields of the agent. */
export function inputFromClaude(event: HookEvent, changed: Readonly<Record<string, unknown>>): unknown {
  const { input } = event;
  const shown = fieldsIn(inputForClaude(event));
  const fields = fieldsIn(input);
  const { command, file_path: file, ...rest } = changed;
  if (shown['command'] !== undefined && shown['command'] !== fields['command']) {
    const isSame = command === shown['command'];
    if (typeof input === 'string') return isSame ? input : command;
    const name = shellFields.find(field => fields[field] !== undefined);
    if (name !== undefined) return { ...rest, [name]: isSame ? fields[name] : inForm(fields[name], command) };
  }
  const name = agentFileFields.find(field => fields[field] !== undefined);
  if (shown['file_path'] !== undefined && fields['file_path'] === undefined && name !== undefined && file !== undefined)
    return {
      ...rest,
      ...(command !== undefined && { command }),
      [name]: file === shown['file_path'] ? changed[name] : file,
    };
  return changed;
}

const agentFileFields = ['filePath', 'path', 'absolute_path'] as const;
const shellFields = ['command', 'cmd', 'script', 'commands', 'argv'] as const;

/** `["bash", "-lc", TEXT]` keeps its shell. */
function inForm(before: unknown, command: unknown): unknown {
  if (!Array.isArray(before)) return command;
  const isShell = before.length === 3 && /^-[a-z]*c$/.test(String(before[1]));
  return isShell ? [before[0], before[1], command] : ['sh', '-c', command];
}

const fieldsIn = (input: unknown): Record<string, unknown> => (isObject(input) ? { ...input } : {});
