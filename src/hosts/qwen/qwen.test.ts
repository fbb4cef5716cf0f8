import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { qwen } from './index.ts';

testHost({
  host: qwen,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1000 },
});
