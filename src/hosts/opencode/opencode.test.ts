import { testHost } from '../../../test/contracts/host.ts';
import { opencode } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: opencode,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  speaks: 'the plugin takes silence for a failure',
});
