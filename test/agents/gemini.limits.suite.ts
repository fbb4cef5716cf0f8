import { gemini } from './cases/index.ts';
import { testLimits } from './limits.ts';

testLimits(gemini);
