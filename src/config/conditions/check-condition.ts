import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean } from '../../model/nearest.ts';
import type { VariableTypes } from '../../model/ports.ts';
import { bareNames, type ConditionFlaw, compile, Environment, limits } from './evaluate.ts';

/** A longer one was made to hurt. */
const maxConditionLength = 4096;

/** Checks a condition when its file is loaded: syntax, names, types, and that it says true or false. Never throws. */
export function checkCondition(
  text: string,
  variables: VariableTypes,
): { kind: 'ok'; condition: string } | ConditionFlaw {
  if (text.length > maxConditionLength) return tooLarge({ start: 0, end: text.length });
  if (text.trim() === '') return flawAt({ start: 0, end: 0 }, 'the condition is empty', 'leave `when` out');
  const bare = bareNames(text);
  if (bare.kind === 'flaw') return bare;
  try {
    const { program, regex, comprehensions } = compile(bare.cel, environmentFor(variables));
    if (regex)
      return flawAt(
        regex,
        'matches() is not available in conditions',
        'use contains(), startsWith(), endsWith() or in',
      );
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

interface Range {
  start: number;
  end: number;
}

const flawAt = ({ start, end }: Range, message: string, hint?: string): ConditionFlaw => ({
  kind: 'flaw',
  message,
  ...(hint !== undefined && { hint }),
  offset: start,
  length: end - start,
});

const useScript = 'have a script decide, and call it from the hook';

const tooLarge = (range: Range): ConditionFlaw =>
  flawAt(range, 'the condition is too long or nested too deeply', useScript);

function comprehensionFlaw(nodes: readonly ASTNode[]): ConditionFlaw {
  const last = nodes.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]!;
  return flawAt(
    last,
    'a condition goes through at most one list: all(), exists(), exists_one(), map() or filter() stands in it once',
    useScript,
  );
}

function notBool(type: string, text: string): ConditionFlaw {
  const given = { int: 'a number', double: 'a number', string: 'a text' }[type] ?? `the type ${type}`;
  const hint = `compare it: ${text.trim()} == ${type === 'int' ? '1' : type === 'double' ? '1.0' : "'something'"}`;
  return flawAt({ start: 0, end: text.length }, `the condition yields ${given}, not true or false`, hint);
}

/** The library's errors have a code, a summary and a place, unless the stack ran out. */
interface CelError {
  code?: string;
  summary?: string;
  message?: string;
  range?: Range;
  node?: ASTNode;
}

function describe(thrown: unknown, text: string, variables: VariableTypes): ConditionFlaw {
  const error = thrown as CelError;
  const { start, end } = placeOf(error, text);
  if (error.code === undefined || error.code === 'limit_exceeded') return tooLarge({ start, end });
  const written = text.slice(start, end);
  const { message, hint } = explain(error, written, variables);
  const from = text.slice(0, start).endsWith('${') ? start - 2 : start;
  const to = /\$\{\w+$/.test(text.slice(0, end)) && text[end] === '}' ? end + 1 : end;
  return flawAt({ start: from, end: to }, message, hint);
}

function placeOf({ code, range, node }: CelError, text: string): Range {
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
    const hint = mixedHint(types, variables);
    return { message: `${types}: these types do not go together`, ...(hint !== undefined && { hint }) };
  }
  const hint = tokenHints.get(written);
  if (summary.endsWith('EOF')) return { message: 'the condition ends too early' };
  if (unexpected.has(error.code ?? '')) return { message: `unexpected ${written}`, ...(hint && { hint }) };
  return { message: summary.charAt(0).toLowerCase() + summary.slice(1), ...(hint && { hint }) };
}

function mixedHint(types: string, variables: VariableTypes): string | undefined {
  const [isInt, isDouble, isText] = ['int', 'double', 'string'].map(type => types.includes(type));
  if (isInt && isDouble) return 'write the number with a point, as in 3.0';
  if (!isText || !(isInt || isDouble)) return undefined;
  const numbers = Object.keys(variables).filter(name => variables[name] !== 'string');
  return `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} are numbers, without quotes; all other variables are texts`;
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
