import type { DialectWire } from '../../model/index.ts';

/** sauna has no event names: every entry is a gate on a finished task. */
export const events: DialectWire['events'] = {};
