import { type GitCall, gitCalls } from './git.ts';

/** What a shell text would do to a repository, as events: a commit, a new branch. What no one can tell may be both. */
export function gitEvents(text: string): readonly ('branch.creating' | 'commit.creating')[] {
  const calls = gitCalls(text);
  const commits = calls.some(({ command }) => command === '*' || command === 'commit');
  const branches = calls.some(call => call.command === '*' || makesBranch(call));
  return [...(branches ? (['branch.creating'] as const) : []), ...(commits ? (['commit.creating'] as const) : [])];
}

function makesBranch({ command, args }: GitCall): boolean {
  const has = (option: RegExp): boolean => args.some(arg => arg !== undefined && option.test(arg));
  switch (command) {
    case 'branch':
      return !has(otherWork) && args.some(arg => arg === undefined || !arg.startsWith('-'));
    case 'checkout':
      return has(/^(-[a-zA-Z]*[bBt]|--orphan|--track)/) && !has(/^--$/);
    case 'switch':
      return has(/^(-[a-zA-Z]*[cCt]|--create|--force-create|--orphan|--track)/);
    case 'worktree':
      return args[0] === undefined ? args.length > 0 : args[0] === 'add';
    default:
      return false;
  }
}

/** `git branch` that lists, removes, renames or looks. */
const otherWork =
  /^(-[a-zA-Z]*[dDmMlrauv]|--(delete|move|list|remotes|all|show-current|contains|no-contains|merged|no-merged|points-at|set-upstream-to|unset-upstream|edit-description|verbose|sort|format))/;
