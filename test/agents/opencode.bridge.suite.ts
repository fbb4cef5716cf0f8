import { testBridge } from './bridge.ts';
import { opencode } from './cases/index.ts';

testBridge(opencode);
