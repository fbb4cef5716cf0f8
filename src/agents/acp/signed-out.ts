/** What went wrong, and how to sign in where it may be about that. */
export const withSignIn = (reason: string, signIn: string | undefined): string =>
  signIn !== undefined && (isSignedOut(reason) || mentionsSignIn.test(reason))
    ? `${reason}\nTo sign in: ${signIn}`
    : reason;

/**
 * Whether an agent could not work since no one is signed in to it: then another may take over. What only mentions a key or
 * a login, as the work itself may, is an ordinary failure.
 */
export const isSignedOut = (reason: string): boolean => {
  const words = reason.slice(0, maxWords);
  return signs.some(sign => sign.test(words));
};

const maxWords = 4000;

const signs: readonly RegExp[] = [
  /\bauthentication(_| is | )(required|failed|error)|\bfailed to authenticate\b|\bUNAUTHENTICATED\b/i,
  /\b401:? unauthori[sz]ed\b|\b(status|error|code|http)( code)?\W{1,3}401\b|^401\b/im,
  /\b(invalid|incorrect|missing|expired|no valid|provide an?) (x-)?api[ _-]?key\b/i,
  /\bapi[ _-]?key (is |was )?(missing|invalid|required|expired|not (valid|set|found|configured))\b/i,
  /\bnot (logged|signed) in\b|\b(please|must) (run )?[`'"/]*(log ?in|sign in)\b|\brun [`'"]?(\w+ )?\/?(auth )?login\b|\b(log|sign) in again\b/i,
  /\b(oauth|access|refresh) token (has |is |was |could not be )?(been )?(expired|revoked|invalid|refreshed)\b/i,
  /\b(invalid|missing|no) (authentication )?credentials\b/i,
];

const mentionsSignIn = /\b401\b|unauthori[sz]ed|authenticat|api.?key|credential|log ?in\b|sign.?in\b/i;
