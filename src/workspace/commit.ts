import { type GitCall, git } from './git.ts';

interface NewCommit {
  tree: string;
  parent?: string | undefined;
  message: string;
  /** ISO. */
  at: string;
}

export type Made = { kind: 'made'; oid: string } | { kind: 'failed'; why: string };

/** A commit that is on no branch, of no one but us: who the user is and how they sign is left alone. The same always gives the same. */
export async function commitTree(folder: string, commit: NewCommit, call: GitCall = {}): Promise<Made> {
  const { tree, parent, message, at } = commit;
  const args = ['commit-tree', '--no-gpg-sign', ...(parent === undefined ? [] : ['-p', parent]), '-F', '-', tree];
  const date = `@${Math.floor(Date.parse(at) / 1000)} +0000`;
  const answer = await git(folder, args, {
    ...call,
    variables: { ...call.variables, ...ownIdentity, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    input: message,
  });
  return answer.kind === 'done' ? { kind: 'made', oid: answer.text } : { kind: 'failed', why: answer.why };
}

export const ownIdentity = {
  GIT_AUTHOR_NAME: 'Hookloop',
  GIT_AUTHOR_EMAIL: 'hookloop@localhost',
  GIT_COMMITTER_NAME: 'Hookloop',
  GIT_COMMITTER_EMAIL: 'hookloop@localhost',
};
