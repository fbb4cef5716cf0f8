import { claude } from './cases/index.ts';
import { testInSession } from './in-session.ts';

testInSession(claude);
