import { opencode } from './cases/index.ts';
import { testLimits } from './limits.ts';

testLimits(opencode);
