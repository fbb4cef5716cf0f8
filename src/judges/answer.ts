export type JudgeAnswer = { kind: 'answer'; ok: boolean; reason: string } | { kind: 'none'; why: string };

/** An answer is a short text; what comes after this much is not looked at. */
const maxChars = 64 * 1024;
/** A text of nothing but braces must not keep us busy. */
const maxTries = 200;

/**
 * The first JSON object `{"ok": bool, "reason": string}` in a text. What stands inside of another object is not looked
 * at: it is something that the judge quotes. Two answers that contradict each other are none.
 */
export function readJudgeAnswer(text: string): JudgeAnswer {
  const answers = objectsIn(text.slice(0, maxChars)).flatMap(object => {
    const { ok, reason } = object;
    return typeof ok === 'boolean' && typeof reason === 'string' ? [{ ok, reason }] : [];
  });
  const [first] = answers;
  if (!first) return { kind: 'none', why: text.trim() === '' ? 'it said nothing' : `it said: ${shorten(text)}` };
  if (answers.some(({ ok }) => ok !== first.ok)) return { kind: 'none', why: 'it said both yes and no' };
  return { kind: 'answer', ...first };
}

/** Every JSON object that stands in the text by itself. */
function objectsIn(text: string): Readonly<Record<string, unknown>>[] {
  const found: Record<string, unknown>[] = [];
  let at = text.indexOf('{');
  for (let tries = 0; at !== -1 && tries < maxTries; tries += 1) {
    const end = endOfObject(text, at);
    const object = end === undefined ? undefined : parse(text.slice(at, end));
    if (object) found.push(object);
    at = text.indexOf('{', object ? end : at + 1);
  }
  return found;
}

/** Behind the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
};
