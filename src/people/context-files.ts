/** A file that is shown with a question, as hooks are told of it. */
export interface ContextPath {
  path: string;
  format: 'markdown' | 'diff' | 'json' | 'text';
}

export const contextPaths = (files: readonly string[], mask: (text: string) => string): ContextPath[] =>
  files.map(file => ({ path: mask(file), format: formats.find(([name]) => name.test(file))?.[1] ?? 'text' }));

const formats: readonly (readonly [RegExp, ContextPath['format']])[] = [
  [/\.(md|markdown)$/i, 'markdown'],
  [/\.(diff|patch)$/i, 'diff'],
  [/\.json$/i, 'json'],
];
