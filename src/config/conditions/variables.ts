/** What a variable is inside a condition. */
export type VariableTypes = Readonly<Record<string, 'int' | 'string'>>;

/** Environment variables are texts; these two are numbers inside conditions. */
export const intVariables: ReadonlySet<string> = new Set(['ITERATION', 'MAX_ITERATIONS']);
