import { describe, expect, test } from 'vitest';
import type { HookEvent, Places } from '../model/index.ts';
import { permissionRule } from './permission-rule.ts';

const places: Places = { root: '/p', repo: '/p', cwd: '/p', home: '/home/u', config: '/home/u/.config' };
const holds = async (rule: string, tool: string, input: unknown, more: Partial<HookEvent> = {}): Promise<boolean> =>
  permissionRule(rule, places)({ name: 'tool.calling', tool, input, ...more });
const bash = (rule: string, command: string) => holds(rule, 'Bash', { command });
const file = (rule: string, path: string, tool = 'Edit') => holds(rule, tool, { file_path: path });

describe('a permission rule', () => {
  test.each([
    ['Bash', 'anything'],
    ['Bash(*)', 'anything'],
    ['Bash(git push *)', 'git push origin main'],
    ['Bash(git push *)', 'git push'],
    ['Bash(git push:*)', 'git push -f'],
    ['Bash(git *)', 'git status'],
    ['Bash(rm *)', 'cd x && rm -rf y'],
    ['Bash(rm *)', 'echo "$(rm -rf y)"'],
    ['Bash(rm *)', 'FOO=1 sudo rm -rf y'],
    ['Bash(rm *)', 'find . | xargs rm -f'],
    ['Bash(npm run test)', 'npm run test'],
    ['Bash(* --force)', 'git push --force'],
    ['Bash(git push *)', '$X push'],
    ['Bash(git push *)', 'git $X origin'],
    ['Bash(git push *)', 'if then ('],
  ])('%s is about %s', async (rule, command) => expect(await bash(rule, command)).toBe(true));

  test.each([
    ['Bash(git push *)', 'git pull'],
    ['Bash(git push *)', 'echo git push'],
    ['Bash(git push:*)', 'git pushall'],
    ['Bash(npm run test)', 'npm run test:all'],
    ['Edit', 'ls'],
    ['Bash(rm *)', 'ls && cat rm.txt'],
  ])('%s is not about %s', async (rule, command) => expect(await bash(rule, command)).toBe(false));

  test.each([
    ['Edit(*.ts)', '/p/src/deep/a.ts', true],
    ['Edit(*.ts)', 'a.ts', true],
    ['Edit(*.ts)', '/p/a.tsx', false],
    ['Edit(src/**)', '/p/src/a/b.c', true],
    ['Edit(/src/**)', '/p/src/a/b.c', true],
    ['Edit(src/**)', '/p/lib/src/a', false],
    ['Edit(dist)', '/p/packages/x/dist/main.js', true],
    ['Edit(~/.ssh/**)', '/home/u/.ssh/id', true],
    ['Edit(//etc/**)', '/etc/passwd', true],
    ['Edit(//etc/**)', '/p/etc/passwd', false],
    ['Edit(.env)', '/p/.env', true],
    ['Edit(*.env)', '/elsewhere/x.env', true],
  ])('%s about %s: %s', async (rule, path, expected) => expect(await file(rule, path)).toBe(expected));

  test('names the tool exactly, or the same tool of another agent', async () => {
    expect(await file('Read(*.ts)', '/p/a.ts', 'Read')).toBe(true);
    expect(await file('Edit(*.ts)', '/p/a.ts', 'Write')).toBe(false);
    expect(await holds('Bash(ls *)', 'run_shell_command', { command: 'ls x' })).toBe(true);
    expect(await holds('mcp__db', 'mcp__db__drop', {})).toBe(true);
    expect(await holds('mcp__db__*', 'mcp__db__drop', {})).toBe(true);
    expect(await holds('mcp__db__drop', 'mcp__db__dropall', {})).toBe(false);
  });

  test.each([
    ['https://docs.example.com/x', 'WebFetch(domain:docs.example.com)', true],
    ['https://a.example.com', 'WebFetch(domain:*.example.com)', true],
    ['https://evil.com/docs.example.com', 'WebFetch(domain:docs.example.com)', false],
  ])('fetching %s is what %s is about: %s', async (url, rule, expected) =>
    expect(await holds(rule, 'WebFetch', { url })).toBe(expected),
  );

  test('is about no event but those of tools', async () => {
    expect(await holds('Bash', 'Bash', {}, { name: 'turn.ending' })).toBe(false);
    expect(await holds('Bash', 'Bash', { command: 'x' }, { name: 'tool.called' })).toBe(true);
  });
});
