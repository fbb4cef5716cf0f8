import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { claude } from './index.ts';

testHost({
  host: claude,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1 },
});
