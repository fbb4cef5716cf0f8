import type { Dialect } from '../../model/index.ts';
import { config } from './config.ts';
import { wire } from './wire.ts';

export const claude: Dialect = { ...config, ...wire };
