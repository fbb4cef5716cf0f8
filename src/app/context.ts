import { createMask } from '../hooks/secrets/create-mask.ts';
import type { Mask } from '../model/mask.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The folder that is asked about, and the user's environment. */
export interface Where {
  cwd: string;
  env: Env;
}

/** What a use case is asked with; `mask` hides secrets in what it tells. */
export interface Context extends Where {
  mask: Mask;
}

export const createContext = (cwd: string, env: Env): Context => ({ cwd, env, mask: createMask(env) });
