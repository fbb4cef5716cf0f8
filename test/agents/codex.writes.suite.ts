import { codex } from './cases/index.ts';
import { testShellWrites } from './shell-writes.ts';

testShellWrites(codex, command => ({ name: 'exec_command', args: { cmd: command } }));
