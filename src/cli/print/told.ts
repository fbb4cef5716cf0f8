/** What kind of news a line is; decides its sign and colour. */
export type Mark = 'begun' | 'done' | 'failed' | 'refused' | 'asked' | 'note';

/** One thing that happened, in words that are safe to print. */
export interface Told {
  mark: Mark;
  text: string;
  /** More exactly, where there is room for it. */
  aside?: string;
  /** Where it belongs, if that is not where the session is. */
  place?: string;
  /** Lines that stand under it. */
  details?: readonly string[];
  /** Stays on the terminal when the live view has moved on. */
  lasting?: true;
}
