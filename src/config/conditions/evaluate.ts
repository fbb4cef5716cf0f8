import { Environment } from '@marcbachmann/cel-js';
import type { EvaluateCondition } from '../../model/index.ts';
import { bareNames, compile, intVariables, limits } from './language.ts';

/** Types were checked when the file was loaded; here values are only put in the place of names, never into the text. */
export const evaluateCondition: EvaluateCondition = (condition, variables) => {
  const { program, names, comprehensions } = programOf(condition);
  const values: Record<string, string | bigint> = {};
  for (const name of names) {
    const text = Object.hasOwn(variables, name) ? variables[name]! : '';
    if (comprehensions.length > 0 && text.length > maxListedLength)
      throw new Error(`${name} is too long (${text.length} characters) for a condition that goes through a list`);
    values[name] = intVariables.has(name) ? toInt(text) : text;
  }
  const answer = answerOf(program, values);
  if (typeof answer !== 'boolean') throw new Error(`the condition gives no true or false: ${condition}`);
  return answer;
};

/** The library's message draws the condition with a caret over several lines; its summary is one. */
function answerOf(program: (values: Record<string, unknown>) => unknown, values: Record<string, unknown>): unknown {
  try {
    return program(values);
  } catch (error) {
    throw new Error((error as { summary?: string }).summary ?? String(error), { cause: error });
  }
}

const environment = new Environment({ unlistedVariablesAreDyn: true, limits });
const programs = new Map<string, ReturnType<typeof compile>>();
const maxPrograms = 1000;

function programOf(condition: string): ReturnType<typeof compile> {
  const known = programs.get(condition);
  if (known) return known;
  const bare = bareNames(condition);
  if (bare.kind === 'flaw') throw new Error(bare.message);
  const compiled = compile(bare.cel, environment);
  if (compiled.regex) throw new Error('matches() is not available in conditions');
  if (compiled.comprehensions.length > 1) throw new Error('a condition goes through at most one list');
  // A long-lived server meets new conditions for ever.
  if (programs.size >= maxPrograms) programs.clear();
  programs.set(condition, compiled);
  return compiled;
}

/** Each item of a list that is made of a text may cost as much as the whole text. */
const maxListedLength = 256 * 1024;

const toInt = (text: string): bigint => (/^-?\d{1,18}$/.test(text) ? BigInt(text) : 0n);
