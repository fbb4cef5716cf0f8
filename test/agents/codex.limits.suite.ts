import { codex } from './cases/index.ts';
import { testLimits } from './limits.ts';

testLimits(codex);
