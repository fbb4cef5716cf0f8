import { testHost } from '../../../test/contracts/host.ts';
import { config } from './config.ts';
import { opencode } from './index.ts';

testHost({
  host: opencode,
  config,
  fixtures: new URL('./fixtures/', import.meta.url),
  speaks: 'the plugin takes silence for a failure',
});
