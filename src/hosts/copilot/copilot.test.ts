import { testHost } from '../../../test/contracts/host.ts';
import { copilot } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: copilot,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeoutSec', perSecond: 1 },
});
