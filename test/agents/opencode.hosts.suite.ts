import { opencode } from './cases/index.ts';
import { testHosts } from './hosts.ts';

testHosts(opencode);
