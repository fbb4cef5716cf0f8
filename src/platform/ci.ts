/** Whether this is a run that no one watches, as build servers say. */
export const isInCi = ({ CI }: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(CI) && CI !== 'false' && CI !== '0';
