import { testBridge } from './bridge.ts';
import { gemini } from './cases/index.ts';

testBridge(gemini);
