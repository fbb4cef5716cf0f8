import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { gemini } from './index.ts';

testHost({
  host: gemini,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1000 },
});
