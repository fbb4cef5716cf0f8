export type JudgeAnswer = { kind: 'answer'; ok: boolean; reason: string } | { kind: 'none'; why: string };

/** An answer is a short text. In a longer one nobody looks for it: what it quotes could come first. */
const maxChars = 64 * 1024;
/** A text of nothing but braces must not keep us busy. */
const maxObjects = 200;

/**
 * The JSON object `{"ok": bool, "reason": string}` in a text. What a judge quotes may have been written to look like its
 * answer, so in doubt there is none: with a brace that belongs to no whole object, with two answers that contradict
 * each other, or with an answer that is not complete.
 */
export function readJudgeAnswer(text: string): JudgeAnswer {
  const objects = text.length > maxChars ? undefined : objectsIn(text);
  const answers = (objects ?? []).filter(object => Object.hasOwn(object, 'ok'));
  const none = (why: string): JudgeAnswer => ({ kind: 'none', why });
  const [first] = answers;
  if (!objects || !first) return none(text.trim() === '' ? 'it said nothing' : `it said: ${shorten(text)}`);
  if (answers.some(({ ok }) => ok !== first['ok'])) return none('it said both yes and no');
  const { ok, reason } = first;
  return typeof ok === 'boolean' && typeof reason === 'string'
    ? { kind: 'answer', ok, reason }
    : none(`it said: ${shorten(text)}`);
}

/** Every JSON object that stands in the text by itself; undefined where something begins as one and is none. */
function objectsIn(text: string): Readonly<Record<string, unknown>>[] | undefined {
  const found: Record<string, unknown>[] = [];
  for (let at = text.indexOf('{'); at !== -1; ) {
    const end = endOfObject(text, at);
    const object = end === undefined ? undefined : parse(text.slice(at, end));
    if (!object || found.length === maxObjects) return undefined;
    found.push(object);
    at = text.indexOf('{', end);
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
