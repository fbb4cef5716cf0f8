import { testBridge } from './bridge.ts';
import { qwen } from './cases/index.ts';

testBridge(qwen);
