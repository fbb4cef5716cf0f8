import { codex } from './cases/index.ts';
import { testInSession } from './in-session.ts';

testInSession(codex);
