import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { cursor } from './index.ts';

testHost({
  host: cursor,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  speaks: 'an entry that fails closed takes silence for a failure',
  timeout: { key: 'timeout', perSecond: 1 },
});
