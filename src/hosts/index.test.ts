import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { agentNames, hosts } from './index.ts';
import { hostSettings } from './settings-table.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folders = readdirSync(here).filter(name => existsSync(join(here, name, 'host.ts')));

test('every host folder is in both tables, under its own name', () => {
  expect([...agentNames].sort()).toEqual(folders.sort());
  expect(Object.keys(hostSettings).sort()).toEqual(folders);
  expect(agentNames.map(agent => hosts[agent].name)).toEqual(agentNames);
});

describe.each(folders)('the folder of %s', name => {
  test.each(['settings.ts', `${name}.test.ts`, 'fixtures'])('has %s', file =>
    expect(readdirSync(join(here, name))).toContain(file),
  );
});
