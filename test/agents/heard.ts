/** The texts that a conversation does not have; the whole of it would drown a report. */
export const missingIn = (heard: string, ...texts: readonly string[]): string[] =>
  texts.filter(text => !heard.includes(text));
