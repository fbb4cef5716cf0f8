import { join } from 'node:path';
import { type Fields, fieldsOf, given } from '../../model/json.ts';
import { folderIn } from '../host.ts';
import { parsed } from '../native-events.ts';
import type { TranscriptFormat } from '../transcript.ts';

/** Codex's rollouts. A file says in which folder it works before each turn. */
export const codexTranscript: TranscriptFormat = {
  agent: 'codex',
  folder: ({ home, env }) => join(folderIn({ root: '', home, env }, 'CODEX_HOME') ?? join(home, '.codex'), 'sessions'),
  marks: ['"session_meta"', '"turn_context"', '_call"'],
  open() {
    let [session, folder]: unknown[] = [];
    return ({ type, timestamp, payload }) => {
      const told = fieldsOf(payload);
      if (type === 'session_meta') session = told['id'] ?? session;
      if (type === 'session_meta' || type === 'turn_context') folder = told['cwd'] ?? folder;
      const call = type === 'response_item' ? callOf(told) : undefined;
      if (!call) return [];
      const { cwd = folder, ...rest } = call;
      const fields = { session_id: session, cwd, hook_event_name: 'PreToolUse', timestamp, ...rest };
      return [{ native: 'PreToolUse', payload: given(fields) }];
    };
  },
};

interface Call {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: unknown;
  cwd?: unknown;
}

/** Under the names that Codex's own hooks have for tools: every shell is `Bash`, a patch is a command. */
function callOf({ type, name, namespace, arguments: args, input, action, call_id: id }: Fields): Call | undefined {
  if (type === 'local_shell_call') return shell(fieldsOf(action)['command'], fieldsOf(action)['working_directory'], id);
  if (typeof name !== 'string') return undefined;
  if (type === 'custom_tool_call') {
    const value = typeof input === 'string' ? { command: input } : input;
    return { tool_name: name, tool_input: value, tool_use_id: id };
  }
  if (type !== 'function_call') return undefined;
  const value = parsed(args);
  const { cmd, command = cmd, workdir } = fieldsOf(value);
  if (shells.has(name)) return shell(command, workdir, id);
  const tool = typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name;
  return { tool_name: tool, tool_input: value, tool_use_id: id };
}

const shells: ReadonlySet<string> = new Set(['exec_command', 'shell', 'shell_command', 'container.exec']);

const shell = (command: unknown, cwd: unknown, id: unknown): Call => ({
  ...{ tool_name: 'Bash', tool_input: { command: scriptIn(command) }, tool_use_id: id },
  ...(typeof cwd === 'string' && cwd.startsWith('/') && { cwd }),
});

/** `["bash", "-lc", SCRIPT]` is how Codex runs a script. */
function scriptIn(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  const [program, option, script, ...rest] = command;
  const isScript = /(^|\/)(ba|z|da)?sh$/.test(String(program)) && /^-l?c$/.test(String(option));
  return isScript && typeof script === 'string' && rest.length === 0 ? script : command;
}
