import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { didYouMean } from '../nearest.ts';
import { compile, limits, maxConditionLength } from './compile.ts';
import { bareNames, type ConditionFlaw } from './placeholders.ts';
import type { VariableTypes } from './variables.ts';

/** Checks a condition when its file is loaded: syntax, names, types, and that it says true or false. Never throws. */
export function checkCondition(
  text: string,
  variables: VariableTypes,
): { kind: 'ok'; condition: string } | ConditionFlaw {
  if (text.length > maxConditionLength) return tooLarge(0, text.length);
  if (text.trim() === '')
    return { kind: 'flaw', message: 'the condition is empty', hint: 'leave `when` out', offset: 0, length: 0 };
  const bare = bareNames(text);
  if (bare.kind === 'flaw') return bare;
  try {
    const { program, regex, comprehensions } = compile(bare.cel, environmentFor(variables));
    if (regex) return regexFlaw(regex);
    if (comprehensions.length > 1) return comprehensionFlaw(comprehensions);
    const { valid, type, error } = program.check();
    if (!valid) return describe(error, text, variables);
    if (type !== 'bool') return notBool(type ?? 'dyn', text);
  } catch (error) {
    return describe(error, text, variables);
  }
  return { kind: 'ok', condition: text.trim() };
}

const environments = new WeakMap<VariableTypes, Environment>();

function environmentFor(variables: VariableTypes): Environment {
  let environment = environments.get(variables);
  if (!environment) {
    environment = new Environment({ limits });
    for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
    environments.set(variables, environment);
  }
  return environment;
}

const tooLarge = (offset: number, length: number): ConditionFlaw => ({
  kind: 'flaw',
  message: 'the condition is too long or nested too deeply',
  hint: 'let a script decide, and call it from the hook',
  offset,
  length,
});

const regexFlaw = (node: ASTNode): ConditionFlaw => ({
  kind: 'flaw',
  message: 'matches() is not available in conditions',
  hint: 'use contains(), startsWith(), endsWith() or in',
  offset: node.start,
  length: node.end - node.start,
});

function comprehensionFlaw(nodes: readonly ASTNode[]): ConditionFlaw {
  const last = nodes.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]!;
  return {
    kind: 'flaw',
    message:
      'a condition goes through at most one list: all(), exists(), exists_one(), map() or filter() stands in it once',
    hint: 'let a script decide, and call it from the hook',
    offset: last.start,
    length: last.end - last.start,
  };
}

const notBool = (type: string, text: string): ConditionFlaw => ({
  kind: 'flaw',
  message: `the condition gives ${type === 'int' ? 'a number' : type === 'string' ? 'a text' : `the type ${type}`}, not true or false`,
  hint: type === 'int' ? `compare it: ${text.trim()} == 1` : `compare it: ${text.trim()} == 'something'`,
  offset: 0,
  length: text.length,
});

/** The library's errors have a code, a summary and a place, unless the stack ran out. */
interface CelError {
  code?: string;
  summary?: string;
  message?: string;
  range?: { start: number; end: number };
  node?: ASTNode;
}

function describe(thrown: unknown, text: string, variables: VariableTypes): ConditionFlaw {
  const error = thrown as CelError;
  const { start, end } = placeOf(error, text);
  if (error.code === undefined || error.code === 'limit_exceeded') return tooLarge(start, end - start);
  const written = text.slice(start, end);
  const { message, hint } = explain(error, written, variables);
  const offset = text.slice(0, start).endsWith('${') ? start - 2 : start;
  const length = (/\$\{\w+$/.test(text.slice(0, end)) && text[end] === '}' ? end + 1 : end) - offset;
  return { kind: 'flaw', message, ...(hint !== undefined && { hint }), offset, length };
}

function placeOf({ code, range, node }: CelError, text: string): { start: number; end: number } {
  if (code === 'invalid_logical_operand' && (node?.op === '&&' || node?.op === '||')) {
    const wrong = node.args.find(side => typeNameOf(side) !== 'bool');
    if (wrong) return { start: wrong.start, end: wrong.end };
  }
  const start = Math.min(range?.start ?? 0, text.length);
  return { start, end: Math.min(Math.max(range?.end ?? text.length, start), text.length) };
}

const typeNameOf = (node: ASTNode): string | undefined =>
  (node as unknown as { checkedType?: { name: string } }).checkedType?.name;

function explain(error: CelError, written: string, variables: VariableTypes): { message: string; hint?: string } {
  const summary = error.summary ?? '';
  if (error.code === 'unknown_variable') {
    const name = summary.slice(summary.lastIndexOf(' ') + 1);
    const known = Object.keys(variables);
    const hint =
      didYouMean(name, known) ??
      (/^[A-Z0-9_]+$/.test(name) ? `known: ${known.join(', ')}` : `a text needs quotes: '${name}'`);
    return { message: `unknown variable ${name}`, hint };
  }
  if (error.code === 'no_such_overload') {
    const types = summary.replace('no such overload: ', '');
    const mixed = types.includes('int') && types.includes('string');
    return {
      message: `${types}: these types do not fit`,
      ...(mixed && { hint: 'ITERATION and MAX_ITERATIONS are numbers, without quotes; all other variables are texts' }),
    };
  }
  const hint = tokenHints.get(written);
  if (summary.endsWith('EOF')) return { message: 'the condition ends too early' };
  if (unexpected.has(error.code ?? '')) return { message: `unexpected ${written}`, ...(hint && { hint }) };
  return { message: summary.charAt(0).toLowerCase() + summary.slice(1), ...(hint && { hint }) };
}

const unexpected: ReadonlySet<string> = new Set(['unexpected_character', 'unexpected_token', 'expected_token']);

const tokenHints: ReadonlyMap<string, string> = new Map([
  ['=', 'write == to compare'],
  ['&', 'write && for "and"'],
  ['|', 'write || for "or"'],
  ['and', 'write &&'],
  ['or', 'write ||'],
  ['not', 'write !'],
  ['$', 'write ${NAME} or NAME'],
]);
