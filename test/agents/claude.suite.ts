import { claude } from './cases/index.ts';
import { testLoop } from './loop.ts';
import { testPort } from './port.ts';

testPort(claude);
testLoop(claude);
