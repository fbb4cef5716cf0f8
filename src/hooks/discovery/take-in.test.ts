import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadHooks } from './load.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-take-in-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(base, 'p-'));
  mkdirSync(join(root, '.git'));
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const load = () => loadHooks({ cwd: root, env: { HOME: join(base, 'home') } });
const namesOf = ({ hooks }: ReturnType<typeof load>) =>
  hooks.map(({ name, disabled }) => (disabled === undefined ? name : `${name} (${disabled})`));
const gate = (name: string): string => `hooks: { task.completing: [ { shell: ./${name}.sh, name: ${name} } ] }\n`;

describe('extends', () => {
  test('takes in the hooks of other files, theirs first, each file once', () => {
    write('hookloop.yaml', `extends: [./team/a.yaml, ./team/b.yaml]\n${gate('own')}`);
    write('team/a.yaml', `extends: ./base.yaml\nagent: codex\n${gate('a')}`);
    write('team/b.yaml', `extends: ["./base.yaml"]\n${gate('b')}`);
    write('team/base.yaml', gate('base'));
    const loaded = load();
    expect([loaded.problems, namesOf(loaded)]).toEqual([[], ['base', 'a', 'b', 'own']]);
    expect(loaded.hooks.map(({ source }) => source.file)).toEqual([
      'team/base.yaml',
      'team/a.yaml',
      'team/b.yaml',
      'hookloop.yaml',
    ]);
    expect(loaded.hooks[0]?.settings).toEqual({ hooksDir: 'team' });
  });

  test('finds an installed package from the folder of the file upwards', () => {
    write('hookloop.yaml', 'extends: "npm:@acme/hooks"\n');
    write('node_modules/@acme/hooks/hookloop.yaml', gate('acme'));
    expect(namesOf(load())).toEqual(['acme']);
  });

  test.each([
    ['extends: ./gone.yaml', './gone.yaml does not exist'],
    ['extends: "npm:@acme/none"', 'no package @acme/none with a hookloop.yaml is installed'],
    ['extends: gone.yaml', '"gone.yaml" is neither a path nor a package'],
    ['extends: [./hookloop.yaml]', 'extends goes in a circle: hookloop.yaml extends hookloop.yaml'],
    ['extends: ./a.yaml', 'extends goes in a circle: a.yaml extends b.yaml extends a.yaml'],
    ['extends: ./.git', './.git cannot be read: is a folder, not a file'],
    ['extends: "npm:../../a"', '"npm:../../a" is neither a path nor a package'],
    ['extends: "https://x/y.yaml"', '"https://x/y.yaml" is neither a path nor a package'],
    ['extends: /dev/zero', '/dev/zero cannot be read: is not a regular file'],
    ['extends: 5', 'expected a text or a list, found the number 5'],
  ])('%s is an error where it stands, and no gate is lost in silence', (text, message) => {
    write('hookloop.yaml', `${text}\n${gate('own')}`);
    write('a.yaml', 'extends: ./b.yaml\n');
    write('b.yaml', 'extends: ./a.yaml\n');
    expect(load().problems).toMatchObject([{ severity: 'error', refuses: true, message, at: { line: 1 } }]);
  });

  test('an error in a file that was taken in is told there and refuses', () => {
    write('hookloop.yaml', 'extends: ./a.yaml\n');
    write('a.yaml', 'hooks: { task.completing: [ { shel: x } ] }\n');
    expect(load().problems).toMatchObject([{ refuses: true, at: { file: 'a.yaml', line: 1 } }]);
  });
});

describe('disable', () => {
  test('switches hooks off that were taken in, by name', () => {
    write('hookloop.yaml', `extends: ./a.yaml\ndisable: [base]\n${gate('own')}`);
    write('a.yaml', `extends: ./base.yaml\n${gate('a')}`);
    write('base.yaml', gate('base'));
    expect(namesOf(load())).toEqual(['base (disable in hookloop.yaml)', 'a', 'own']);
  });

  test.each([
    ['disable: [bse]', 'no inherited hook is called "bse"', 'did you mean base?'],
    ['disable: [own]', 'no inherited hook is called "own"', 'known: base'],
  ])('%s is an error: a hook would run that is meant to be off', (text, message, hint) => {
    write('hookloop.yaml', `extends: ./base.yaml\n${text}\n${gate('own')}`);
    write('base.yaml', gate('base'));
    expect(load().problems).toMatchObject([{ severity: 'error', refuses: true, message, hint }]);
  });
});
