import { expect, test } from 'vitest';
import { gitEvents } from './git-events.ts';

test.each([
  ['git commit -m x', ['commit.creating']],
  ['cd a && FOO=1 git -C b commit', ['commit.creating']],
  ['git branch feature', ['branch.creating']],
  ['git branch -f feature main', ['branch.creating']],
  ['git branch "$NAME"', ['branch.creating']],
  ['git branch', []],
  ['git branch -d old', []],
  ['git branch -vv --list "x*"', []],
  ['git branch --show-current', []],
  ['git checkout -b feature', ['branch.creating']],
  ['git checkout -qb feature origin/main', ['branch.creating']],
  ['git checkout main', []],
  ['git checkout -- -b', []],
  ['git switch -c feature && git commit -am x', ['branch.creating', 'commit.creating']],
  ['git switch main', []],
  ['git worktree add ../x', ['branch.creating']],
  ['git worktree list', []],
  ['git $VERB', ['branch.creating', 'commit.creating']],
  ['echo git commit', []],
  ['git push', []],
])('%s: %j', (text, events) => {
  expect(gitEvents(text)).toEqual(events);
});
