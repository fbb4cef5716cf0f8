import type { Dialect, Normalised } from '../../src/model/index.ts';
import { somewhere } from './dialect.ts';

/** Reads a text as the file that the dialect looks for first. */
export function normaliseText(dialect: Dialect, text: string): Normalised {
  const location = dialect.locations[0]!;
  const { path } = location;
  return dialect.normalise([{ kind: 'text', location, path: `/p/${path}`, file: path, text }], somewhere);
}
