import { bash, type HookFile, line, read, says, write } from '../hook-file.ts';

const tells = (text: string): string => says('PreToolUse', { additionalContext: text });
const told = (matcher: string, text: string) => ({ matcher, hooks: [line(tells(text))] });

/** Every form of a matcher and of `if`. */
export const matchers: readonly HookFile[] = [
  {
    name: 'names split by a bar, and by a comma',
    hooks: { PreToolUse: [told('Read|Write', 'matcher: bar'), told('Read,Write', 'matcher: comma')] },
    files: { 'm.txt': 'x\n' },
    calls: [read('m.txt'), bash('echo matchers')],
    texts: ['matcher: bar', 'matcher: comma'],
  },
  {
    name: 'a regular expression is not anchored',
    hooks: { PreToolUse: [told('Wri.*', 'matcher: expression'), told('^rite$', 'matcher: anchored')] },
    calls: [write('m2.txt', 'x\n')],
    texts: ['matcher: expression', 'matcher: anchored'],
  },
  {
    name: 'case counts',
    hooks: { PreToolUse: [told('bash', 'matcher: lower case'), told('Bash', 'matcher: upper case')] },
    texts: ['matcher: lower case', 'matcher: upper case'],
  },
  {
    name: 'an empty matcher, a star, and none at all',
    hooks: {
      PreToolUse: [told('', 'matcher: empty'), told('*', 'matcher: star'), { hooks: [line(tells('matcher: none'))] }],
    },
    texts: ['matcher: empty', 'matcher: star', 'matcher: none'],
  },
  {
    name: 'part of a name is no name',
    hooks: { PreToolUse: [told('Ba', 'matcher: part'), told('Task|Agent', 'matcher: others')] },
    texts: ['matcher: part', 'matcher: others'],
  },
  {
    name: 'if a command begins so',
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [line(tells('if: git push'), { if: 'Bash(git push *)' })] },
        { matcher: 'Bash', hooks: [line(tells('if: git alone'), { if: 'Bash(git:*)' })] },
      ],
    },
    calls: [bash('git push origin nowhere || true'), bash('git log -1 || true'), bash('true && git push x || true')],
    texts: ['if: git push', 'if: git alone'],
  },
  {
    name: 'if a file is of a kind',
    hooks: { PreToolUse: [{ matcher: 'Edit|Write', hooks: [line(tells('if: typescript'), { if: 'Write(*.ts)' })] }] },
    calls: [write('typed.ts', 'x\n'), write('untyped.js', 'x\n')],
    texts: ['if: typescript'],
  },
];
