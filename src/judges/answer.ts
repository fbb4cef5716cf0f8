export type JudgeAnswer = { kind: 'answer'; ok: boolean; reason: string } | { kind: 'none'; why: string };

/** An answer is a short text. In a longer one nobody looks for it. */
const maxChars = 64 * 1024;

/**
 * The JSON object `{"ok": bool, "reason": string}` with which a text begins or ends. What a judge quotes may have been
 * written to look like its answer, so one in the middle of a sentence is none, and a text that says both yes and no
 * anywhere has no answer at all.
 */
export function readJudgeAnswer(text: string): JudgeAnswer {
  const said = withoutFence(text.trim());
  const none = (why: string): JudgeAnswer => ({ kind: 'none', why });
  if (said === '') return none('it said nothing');
  const votes = new Set([...said.matchAll(/ok\W{0,8}?:\s*(true|false)\b/gi)].map(([, vote]) => vote!.toLowerCase()));
  if (votes.size > 1) return none('it said both yes and no');
  const answer = said.length > maxChars ? undefined : (objectAtStart(said) ?? objectAtEnd(said));
  const { ok, reason } = answer ?? {};
  return typeof ok === 'boolean' && typeof reason === 'string'
    ? { kind: 'answer', ok, reason }
    : none(`it said: ${shorten(text)}`);
}

/** Models like to put JSON into a block of code. */
const withoutFence = (text: string): string =>
  text
    .replace(/^```\w*\s*/, '')
    .replace(/\s*```$/, '')
    .trim();

function objectAtStart(text: string): Record<string, unknown> | undefined {
  const end = text.startsWith('{') ? endOfObject(text, 0) : undefined;
  return end === undefined ? undefined : parse(text.slice(0, end));
}

/** From the last brace backwards: the widest object that closes with the text. */
function objectAtEnd(text: string): Record<string, unknown> | undefined {
  if (!text.endsWith('}')) return undefined;
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index).slice(-maxTries);
  return starts
    .map(start => (endOfObject(text, start) === text.length ? parse(text.slice(start)) : undefined))
    .find(Boolean);
}

/** A text of nothing but braces must not keep us busy. */
const maxTries = 50;

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
