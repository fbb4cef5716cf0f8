import { testHost } from '../../../test/contracts/host.ts';
import { cursor } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: cursor,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  speaks: 'an entry that fails closed takes silence for a failure',
  timeout: { key: 'timeout', perSecond: 1 },
});
