import type { DialectWire } from '../model/index.ts';
import { wire as babysitter } from './babysitter/wire.ts';
import { wire as claude } from './claude/wire.ts';
import { wire as iteratr } from './iteratr/wire.ts';
import { wire as native } from './native/wire.ts';
import { wire as nyzhi } from './nyzhi/wire.ts';
import { wire as pipelines } from './pipelines/wire.ts';
import { wire as sauna } from './sauna/wire.ts';

/** The running halves alone: what a compiled plan needs, without any parser. */
export const wires: readonly DialectWire[] = [native, sauna, iteratr, nyzhi, babysitter, claude, pipelines];
