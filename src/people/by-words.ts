/** Who answered, as it stands in a sentence. Records of older versions begin with the word already. */
export const byWords = (by: string): string => (isPhrase.test(by) ? by : `by ${by}`);

/** Nobody's name is known there. */
const isPhrase = /^(by |with hookloop |(on the approval page|at the terminal)$)/;
