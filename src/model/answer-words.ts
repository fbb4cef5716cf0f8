/** What a person's answer to a question means. */
export type AnswerMeaning = 'approve' | 'reject';

/** Words that a hook takes beside the known ones, as in `actions: { ship: approve, hold: reject }`. */
export type AnswerWords = Readonly<Record<string, AnswerMeaning>>;

/** What a person, or a program in their place, has answered. */
export interface ApprovalAnswer {
  kind: 'answered';
  action: string;
  message: string;
  /** The whole answer, as later actions see it in HOOK_RESPONSE. */
  response: unknown;
  by?: string;
  /** ISO time. */
  at: string;
}

const knownWords = {
  approve: ['approve', 'approved', 'continue', 'ok', 'yes'],
  reject: ['reject', 'rejected', 'abort', 'deny', 'denied', 'decline', 'stop', 'cancel', 'no'],
} as const satisfies Record<AnswerMeaning, readonly string[]>;

/** undefined: the word is no answer, and nothing may go on because of it. A word with both meanings is a no. */
export function meaningOf(word: string, own: AnswerWords = {}): AnswerMeaning | undefined {
  const words = acceptedWords(own);
  const said = foldWord(word);
  if (words.reject.includes(said)) return 'reject';
  return words.approve.includes(said) ? 'approve' : undefined;
}

/** Every word that is an answer, the hook's own before the known ones. */
export function acceptedWords(own: AnswerWords = {}): Record<AnswerMeaning, string[]> {
  const all = (meaning: AnswerMeaning): string[] => [
    ...new Set([...ownWords(own, meaning).map(foldWord), ...knownWords[meaning]]),
  ];
  return { approve: all('approve'), reject: all('reject') };
}

/** A hook's own words with one meaning, as its file writes them. */
export const ownWords = (own: AnswerWords, meaning: AnswerMeaning): string[] =>
  Object.keys(own).filter(word => own[word] === meaning);

/** What is wrong with one entry of `actions`; undefined where nothing is. */
export function ownWordFlaw(word: string, meaning: unknown): string | undefined {
  if (!/^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,38}[\p{L}\p{N}])?$/u.test(word))
    return 'a word has at most 40 letters, digits, spaces, dots, dashes or underscores';
  if (meaning !== 'approve' && meaning !== 'reject') return 'a word means approve or reject';
  const known = meaningOf(word);
  return known === undefined || known === meaning ? undefined : `${word} always means ${known}`;
}

export const foldWord = (word: string): string => word.trim().toLowerCase();
