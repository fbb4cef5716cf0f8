import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { world } from '../../test/contracts/agent.ts';
import { missingProgram } from './command-line.ts';

test.each([
  ['nosuch --acp', 'nosuch', 'is not there'],
  ['A=1 nosuch', 'nosuch', 'is not there'],
  ['"nosuch" x', 'nosuch', 'is not there'],
  ['env A=1 nosuch', 'nosuch', 'is not there'],
  ['env -u B /usr/bin/env nosuch', 'nosuch', 'is not there'],
  ['nohup nosuch', 'nosuch', 'is not there'],
  ['timeout -k 1 5 nosuch', 'nosuch', 'is not there'],
  ['exec nice -n 5 nosuch', 'nosuch', 'is not there'],
  ['nosuchwrapper sh', 'nosuchwrapper', 'is not there'],
  ['./nosuch {session}', './nosuch', 'is not there'],
  ['/etc/passwd', '/etc/passwd', 'is not executable'],
  ['env plain', 'plain', 'is not executable'],
  ['./bin', './bin', 'is not there'],
])('%s cannot run', (command, program, trouble) => {
  expect(missingProgram('acp', command, environment())).toEqual({
    kind: 'unavailable',
    reason: `${program}, the program of acp:${command}, ${trouble}`,
  });
});

test.each([
  'agent',
  'env A=1 agent --acp',
  'timeout 5 ./bin/agent',
  'agent --resume {session}',
  'exec agent',
  // No one can tell before a shell has read them.
  'nosuch || agent',
  '$AGENT',
  'env PATH=/elsewhere nosuch',
  'PATH=/elsewhere nosuch',
  'env $OPTIONS nosuch',
  'env --argv0=x nosuch',
  // They look elsewhere.
  'env -C bin ./agent',
  'env sh -c nosuch',
  'env docker exec box nosuch',
])('%s may run', command => expect(missingProgram('acp', command, environment())).toBeUndefined());

function environment(): { cwd: string; env: Readonly<Record<string, string>> } {
  const { project } = world();
  mkdirSync(join(project, 'bin'));
  for (const name of ['agent', 'docker', 'plain']) {
    writeFileSync(join(project, 'bin', name), '#!/bin/sh\n');
    chmodSync(join(project, 'bin', name), name === 'plain' ? 0o644 : 0o755);
  }
  return { cwd: project, env: { PATH: `${join(project, 'bin')}:/usr/bin:/bin` } };
}
