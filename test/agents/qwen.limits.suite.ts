import { qwen } from './cases/index.ts';
import { testLimits } from './limits.ts';

testLimits(qwen);
