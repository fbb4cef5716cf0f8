import { claude } from './cases/index.ts';
import { testLimits } from './limits.ts';

testLimits(claude);
