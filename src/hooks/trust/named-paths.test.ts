import { describe, expect, test } from 'vitest';
import type { HookDefinition, Invocation, Places } from '../../model/index.ts';
import { namedPaths } from './named-paths.ts';

const places: Places = {
  root: "/w/my 'p",
  repo: '/repo',
  cwd: '/w/here',
  home: '/home/me',
  config: '/c',
  plugin: '/plug',
};

const named = (run: Invocation, cwd: 'root' | 'caller' = 'root'): readonly string[] =>
  namedPaths({ action: { kind: 'shell', command: '', run, cwd } } as HookDefinition, places).paths;

describe('a command names', () => {
  test.each<[string, string[]]>([
    ['./check.sh', ["/w/my 'p/check.sh"]],
    ['node tools/check.mjs --fast', ["/w/my 'p/tools/check.mjs"]],
    ['sh check', ["/w/my 'p/check"]],
    ['. ./env.sh && npm test', ["/w/my 'p/env.sh"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/x.sh', ["/w/my 'p/.claude/x.sh"]],
    ['bash "${CLAUDE_PROJECT_DIR:-.}/a.sh"', ["/w/my 'p/a.sh"]],
    ['"$(git rev-parse --show-toplevel)/x.sh"', ["/w/my 'p/x.sh"]],
    ['~/bin/x && $HOME/bin/y', ['/home/me/bin/x', '/home/me/bin/y']],
    ['${CLAUDE_PLUGIN_ROOT}/x.sh', ['/plug/x.sh']],
    ['eslint --config=cfg/lint.js', ["/w/my 'p/--config=cfg/lint.js", "/w/my 'p/cfg/lint.js"]],
    ["sh -c 'node ./deep.js'", ["/w/my 'p/node ./deep.js", "/w/my 'p/deep.js"]],
    ['cd tools && ./x.sh', ["/w/my 'p/x.sh", "/w/my 'p/tools/x.sh"]],
    ['sh < feed.sh', ["/w/my 'p/feed.sh"]],
    ['BASH_ENV=./env.sh bash -c true', ["/w/my 'p/env.sh"]],
    ['if test -f x; then ./a.sh; else `./b.sh`; fi', ["/w/my 'p/a.sh", "/w/my 'p/b.sh"]],
    ['grep -q TODO src/a.ts; cat ./notes.txt', []],
    ['npm test', []],
    ['/usr/bin/env true', []],
    ['"$SOMETHING"/x.sh', ["/w/my 'p/x.sh"]],
    ['"$SOMETHING"', []],
  ])('%s', (script, paths) => expect(named({ via: 'sh', script })).toEqual(paths));

  test('what stands behind an unknown folder, in the folder of the hook and in the project', () => {
    const run: Invocation = { via: 'sh', script: '"$ROOT/x.sh"' };
    expect(named(run, 'caller')).toEqual(['/w/here/x.sh', "/w/my 'p/x.sh"]);
  });

  test('the program and the arguments that it is started with', () => {
    const run: Invocation = { via: 'exec', file: '/w/x.sh', args: ['run', './y.js', '--z=z.js'] };
    expect(named(run, 'caller')).toEqual(['/w/x.sh', '/w/here/y.js', '/w/here/--z=z.js', '/w/here/z.js']);
  });
});
