import { testBridge } from './bridge.ts';
import { claude } from './cases/index.ts';

testBridge(claude);
