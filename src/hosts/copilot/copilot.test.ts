import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { copilot } from './index.ts';

testHost({
  host: copilot,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeoutSec', perSecond: 1 },
});
