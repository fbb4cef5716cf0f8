import { qwen } from './cases/index.ts';
import { testHosts } from './hosts.ts';

testHosts(qwen);
