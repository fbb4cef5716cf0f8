import { testBridge } from './bridge.ts';
import { codex } from './cases/index.ts';

testBridge(codex);
