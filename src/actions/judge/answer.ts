import { oneLine } from '../../model/words.ts';
export type JudgeAnswer = { kind: 'answer'; ok: boolean; reason: string } | { kind: 'none'; why: string };

/** An answer is a short text. In a longer one nobody looks for it. */
const maxChars = 64 * 1024;
/** A text of nothing but braces must not keep us busy. */
const maxTries = 200;

/**
 * The first JSON object `{"ok": bool, "reason"?: string}` in a text. What a judge quotes may have been written to look
 * like its answer: so what stands inside of another object or a list is not looked at, and a text that says both yes and
 * no anywhere, in whatever form, or anything else in another such object, has no answer at all.
 */
export function readJudgeAnswer(text: string): JudgeAnswer {
  const none = (why: string): JudgeAnswer => ({ kind: 'none', why });
  if (text.trim() === '') return none('it said nothing');
  const votes = [...unescaped(text).matchAll(vote)].map(([, inObject, said]) => (inObject ?? said)!.toLowerCase());
  if (new Set(votes).size > 1) return none('it said both yes and no');
  const answer = text.length > maxChars ? undefined : firstAnswer(text);
  return answer ? { kind: 'answer', ...answer } : none(`it said: ${oneLine(text, 200)}`);
}

/** `BOOLEAN` is how the question writes it, which an answer may quote. */
const vote = /\{\s*["']?ok["']?\s*:\s*["']?(?!BOOLEAN\b)(\w+)|\bok\W{0,8}?\s*:\s*["']?(true|false)\b/gi;

/** JSON may write any letter of a name as its number. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

function firstAnswer(text: string): { ok: boolean; reason: string } | undefined {
  let answer: { ok: boolean; reason: string } | undefined;
  let at = nextBracket(text, 0);
  for (let tries = 0; at !== -1 && tries < maxTries; tries += 1) {
    const end = endOfValue(text, at);
    const value = end === undefined ? undefined : parse(text.slice(at, end));
    if (text[at] === '{') {
      const { ok, reason = '' } = (value ?? {}) as { ok?: unknown; reason?: unknown };
      if (ok !== undefined && (typeof ok !== 'boolean' || typeof reason !== 'string')) return undefined;
      if (typeof ok === 'boolean') answer ??= { ok, reason: reason as string };
    } else if (value === undefined && listOfObjects.test(text.slice(at, at + 100))) return answer;
    at = nextBracket(text, value === undefined ? at + 1 : end!);
  }
  // What was not read may say something else.
  return at === -1 ? answer : undefined;
}

/** A list whose end is missing: what stands in it is no answer either. */
const listOfObjects = /^\[\s*[{[]/;

function nextBracket(text: string, from: number): number {
  const [object, list] = [text.indexOf('{', from), text.indexOf('[', from)];
  return object === -1 || list === -1 ? Math.max(object, list) : Math.min(object, list);
}

/** Behind the bracket that closes the one at `start`. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
