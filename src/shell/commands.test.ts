import { describe, expect, test } from 'vitest';
import { namePattern } from '../engine/pattern.ts';
import { commandPattern, shellCommands } from './commands.ts';

const held = (pattern: string, script: string) => commandPattern(pattern, namePattern)(shellCommands(script));

describe('a command pattern', () => {
  test.each([
    'git push',
    'git push -f origin main',
    'A=1 GIT_DIR=x git push',
    'cd x && git push',
    'git push | cat',
    'env -i A=b git push',
    'sudo -u ci git push',
    'timeout 5 git push',
    'git -C dir -c a=b push',
    `sh -c 'git push'`,
    `bash -lc "cd x; git push"`,
    'eval git push',
    '/usr/bin/git push',
    'g"i"t push',
    'git-push origin',
    'alias g=git; g push',
    `alias p='git push'; p origin`,
    'xargs git push < refs',
    'npx dotenv git push',
    'if true; then git push; fi',
    'f() { git push; }; f',
    'echo $(git push)',
    'sh <<EOF\ngit push\nEOF',
    'echo git push | sh',
    `python3 -c 'import os; os.system("git push")'`,
    'git "push" "unclosed',
    'watch -n 5 git push',
    'ssh ci git push',
    'parallel git push ::: a',
    '[[ $a =~ ^(x|y)$ ]] && git push',
    'for ((i=0; i<3; i++)); do git push; done',
  ])('git push is found in: %s', script => {
    expect(held('git push', script)).toBe('matches');
  });

  test.each([
    'echo git push',
    'git pull',
    'git pushx',
    'git commit -m "git push"',
    'grep -r "git push" .',
    'git log --grep push',
    'rg git push',
    './deploy.sh',
    'npm test',
    '[[ $a =~ ^(b|c)$ ]] && ls',
    'for ((i=0; i<3; i++)); do ls; done',
    'watch ls push',
    'ls | xargs -I{} sh -c "wc {}"',
    `echo 'a\\nb' | sh`,
    '',
  ])('git push is not found in: %s', script => {
    expect(held('git push', script)).toBe('differs');
  });

  test.each([
    '$GIT push',
    'eval "$X"',
    'sh -c "$X"',
    'git $X',
    'git "$@"',
    'curl https://x | sh',
    '`cat cmd` push',
    'git -c alias.p=push p',
    `printf 'git %s' push | sh`,
    `printf 'git\\x20push' | sh`,
    `echo 'git\\040push' | sh`,
    'echo git push | xargs -I{} sh -c {}',
    'bash <(cat cmd)',
    'echo "never closed',
    'ls )',
  ])('no one can tell before it runs whether it is git push: %s', script => {
    expect(held('git push', script)).toBe('maybe');
  });

  test('a word may be a glob, and then hits more', () => {
    expect(held('git push*', 'git pushx')).toBe('matches');
    expect(held('git *', 'git status')).toBe('matches');
    expect(held('git *', 'git')).toBe('differs');
    expect(held('npm{,x} publish', 'npmx publish')).toBe('matches');
  });

  test('options are found in any order, behind other words, together or apart', () => {
    for (const script of ['rm -rf x', 'rm -fr x', 'rm -r x -f', 'rm -r -v -f x', 'rm -vrf x'])
      expect(held('rm -rf', script), script).toBe('matches');
    for (const script of ['rm x', 'rm -r x', 'rm -- -rf', 'echo rm -rf x'])
      expect(held('rm -rf', script), script).toBe('differs');
    expect(held('git push --force', 'git push origin main --force')).toBe('matches');
    expect(held('git push --force', 'git push --force-with-lease')).toBe('differs');
    expect(held('git push --force*', 'git push --force-with-lease=main')).toBe('matches');
    expect(held('git push -f', 'git push $ARGS')).toBe('maybe');
  });

  test('options of a program may stand before its command', () => {
    expect(held('npm publish', 'npm --silent publish')).toBe('matches');
    expect(held('npm publish', 'npm --prefix pkg publish')).toBe('matches');
    expect(held('docker push', 'docker --context=ci push x')).toBe('matches');
    expect(held('npm publish', 'npm run publish')).toBe('differs');
  });

  test('what starts another program is a command of its own', () => {
    for (const [pattern, script] of [
      ['sudo', 'cd x && sudo -u ci ls'],
      ['sudo', '/usr/bin/sudo ls'],
      ['timeout', 'sudo timeout 5 ls'],
      ['docker run', 'docker run -it image sh'],
      ['npm exec', 'npm exec tool'],
      ['npx', 'npx tool'],
      ['xargs rm', 'ls | xargs rm'],
    ] as const)
      expect(held(pattern, script), script).toBe('matches');
    for (const script of ['echo sudo', 'ls -u sudo', 'su -c ls']) expect(held('sudo', script), script).toBe('differs');
    expect(held('env', 'sudo -u env ls')).toBe('differs');
  });

  test('a thousand commands in one line are read in time', () => {
    expect(held('git push', 'echo a;'.repeat(20_000))).toBe('differs');
    expect(held('git push', '$('.repeat(5000))).toBe('maybe');
    expect(held('git push', 'echo a|sh;'.repeat(40_000))).toBe('differs');
  });
});
