import { gemini } from './cases/index.ts';
import { testHosts } from './hosts.ts';

testHosts(gemini);
