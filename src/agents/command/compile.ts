import { compileCommand } from '../../shell/placeholder.ts';
import { execLine } from '../exec-line.ts';

export type CompiledAgent =
  | { kind: 'compiled'; script: string; keepsSessions: boolean }
  | { kind: 'refused'; reason: string };

/** `{session}` becomes a reference to HOOKLOOP_CONVERSATION: the program keeps its conversations itself, by that id. */
export function compileAgentCommand(command: string): CompiledAgent {
  if (command.trim() === '') return { kind: 'refused', reason: 'the command after command: is empty' };
  const compiled = compileCommand(execLine(command), {
    pattern: /\{(session)\}/g,
    variableOf: () => 'HOOKLOOP_CONVERSATION',
  });
  if (compiled.kind === 'refused') return { kind: 'refused', reason: `${compiled.message}; ${compiled.hint}` };
  return { kind: 'compiled', script: compiled.script, keepsSessions: compiled.variables.length > 0 };
}
