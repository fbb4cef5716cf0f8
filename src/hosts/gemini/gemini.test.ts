import { testHost } from '../../../test/contracts/host.ts';
import { gemini } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: gemini,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1000 },
});
