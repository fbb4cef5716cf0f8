import { codex } from './cases/index.ts';
import { testHosts } from './hosts.ts';

testHosts(codex);
