import { claude } from './cases/index.ts';
import { testHosts } from './hosts.ts';

testHosts(claude);
