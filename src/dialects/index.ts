import type { Dialect } from '../model/index.ts';
import { babysitter } from './babysitter/index.ts';
import { claude } from './claude/index.ts';
import { iteratr } from './iteratr/index.ts';
import { native } from './native/index.ts';
import { nyzhi } from './nyzhi/index.ts';
import { pipelines } from './pipelines/index.ts';
import { sauna } from './sauna/index.ts';

/** Every dialect, in the order in which their hooks run inside one scope. */
export const dialects: readonly Dialect[] = [native, sauna, iteratr, nyzhi, babysitter, claude, pipelines];
