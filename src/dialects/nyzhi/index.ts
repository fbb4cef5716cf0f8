import type { Dialect } from '../../model/index.ts';
import { config } from './config.ts';
import { wire } from './wire.ts';

export const nyzhi: Dialect = { ...config, ...wire };
