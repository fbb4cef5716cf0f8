import { qwen } from './cases/index.ts';
import { testLoop } from './loop.ts';
import { testPort } from './port.ts';

testPort(qwen);
testLoop(qwen);
