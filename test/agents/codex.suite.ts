import { codex } from './cases/index.ts';
import { testLoop } from './loop.ts';
import { testPort } from './port.ts';

testPort(codex);
testLoop(codex);
