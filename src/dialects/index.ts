import type { Dialect } from '../model/index.ts';
import { config as babysitterConfig } from './babysitter/config.ts';
import { wire as babysitterWire } from './babysitter/wire.ts';
import { config as claudeConfig } from './claude/config.ts';
import { wire as claudeWire } from './claude/wire.ts';
import { config as iteratrConfig } from './iteratr/config.ts';
import { wire as iteratrWire } from './iteratr/wire.ts';
import { config as nativeConfig } from './native/config.ts';
import { wire as nativeWire } from './native/wire.ts';
import { config as nyzhiConfig } from './nyzhi/config.ts';
import { wire as nyzhiWire } from './nyzhi/wire.ts';
import { config as pipelinesConfig } from './pipelines/config.ts';
import { wire as pipelinesWire } from './pipelines/wire.ts';
import { config as saunaConfig } from './sauna/config.ts';
import { wire as saunaWire } from './sauna/wire.ts';

export const native: Dialect = { ...nativeConfig, ...nativeWire };
export const sauna: Dialect = { ...saunaConfig, ...saunaWire };
export const iteratr: Dialect = { ...iteratrConfig, ...iteratrWire };
export const nyzhi: Dialect = { ...nyzhiConfig, ...nyzhiWire };
export const babysitter: Dialect = { ...babysitterConfig, ...babysitterWire };
export const claude: Dialect = { ...claudeConfig, ...claudeWire };
export const pipelines: Dialect = { ...pipelinesConfig, ...pipelinesWire };

/** Every dialect. In which order their hooks run inside one scope, `dialectNames` of the model says. */
export const dialects: readonly Dialect[] = [native, sauna, iteratr, nyzhi, babysitter, claude, pipelines];
