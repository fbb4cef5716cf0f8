import { qwen } from './cases/index.ts';
import { testInSession } from './in-session.ts';

testInSession(qwen);
