import { type Danger, findDanger } from './danger.ts';
import { overwritten } from './flow.ts';
import { type Hole, mask, quotingOf } from './holes.ts';
import { parseCommands, type Quoting } from './parse.ts';
import { explain } from './refusal.ts';

/** How a dialect writes placeholders. `pattern` is global and its first group is the name. */
export interface Grammar {
  pattern: RegExp;
  /** The environment variable that holds the value; undefined: no such placeholder, the text stays as it is. */
  variableOf(name: string): string | undefined;
}

export type CompiledCommand =
  | {
      kind: 'compiled';
      script: string;
      variables: readonly string[];
      unknown: readonly { name: string; offset: number; length: number }[];
    }
  | { kind: 'refused'; offset: number; length: number; message: string; hint: string };

/** No system starts a shell with more text than this; Linux sets the limit at 128 KiB. */
const LENGTH_LIMIT = 131_072;
const tooLong: Danger = { kind: 'trouble', why: 'it is longer than 128 KiB', at: 0 };

/**
 * Turns placeholders into references to environment variables, quoted for where they stand. Contract: pure, never throws;
 * each value reaches its program as one exact word, or the command is refused. Without placeholders it stays as it is.
 */
export function compileCommand(text: string, grammar: Grammar): CompiledCommand {
  const { holes, unknown } = findHoles(text, grammar);
  const variables = [...new Set(holes.map(hole => hole.variable))];
  if (holes.length === 0) return { kind: 'compiled', script: text, variables, unknown };
  if (text.length > LENGTH_LIMIT) return refuse(text, tooLong, holes, grammar);
  const masked = mask(text, holes);
  const parsed = parseCommands(masked);
  const danger =
    ownDanger(masked, parsed.commands, variables) ??
    findDanger({ text: masked, holes, carried: false, depth: 0 }, parsed);
  if (danger) return refuse(text, danger, holes, grammar);
  return { kind: 'compiled', script: fill(text, holes, quotingOf(holes, parsed.changes)), variables, unknown };
}

function findHoles(text: string, { pattern, variableOf }: Grammar) {
  const holes: Hole[] = [];
  const unknown: { name: string; offset: number; length: number }[] = [];
  for (const found of text.matchAll(pattern)) {
    const name = found[1] ?? '';
    const length = found[0].length;
    if (length === 0) continue;
    const variable = variableOf(name);
    if (variable === undefined) unknown.push({ name, offset: found.index, length });
    else holes.push({ start: found.index, end: found.index + length, name, variable });
  }
  return { holes, unknown };
}

function ownDanger(text: string, commands: Parameters<typeof overwritten>[0], variables: string[]): Danger | undefined {
  const name = overwritten(commands, text, variables);
  return name === undefined ? undefined : { kind: 'overwritten', name };
}

function refuse(text: string, danger: Danger, holes: readonly Hole[], grammar: Grammar): CompiledCommand {
  const hole = danger.hole ?? holes[0]!;
  return {
    kind: 'refused',
    offset: hole.start,
    length: hole.end - hole.start,
    ...explain(text, danger, hole, grammar),
  };
}

const references: Partial<Record<Quoting, (variable: string) => string>> = {
  bare: variable => `"\${${variable}}"`,
  double: variable => `\${${variable}}`,
  heredoc: variable => `\${${variable}}`,
  single: variable => `'"\${${variable}}"'`,
};

function fill(text: string, holes: readonly Hole[], quotings: readonly Quoting[]): string {
  let script = '';
  let at = 0;
  for (const [index, { start, end, variable }] of holes.entries()) {
    const reference = references[quotings[index]!];
    script += text.slice(at, start) + (reference ? reference(variable) : text.slice(start, end));
    at = end;
  }
  return script + text.slice(at);
}
