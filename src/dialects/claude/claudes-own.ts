/** Claude Code fires these as well; nothing in a session of ours is like them, so their hooks are left to Claude. */
export const claudesOwnEvents: ReadonlySet<string> = new Set([
  ...'DirectoryAdded Elicitation ElicitationResult MessageDisplay PostModelSwitch PreModelSwitch'.split(' '),
  ...'TaskCreated UserPromptExpansion WorktreeCreate WorktreeRemove'.split(' '),
]);

/** Why hooks of such an event are not run. */
export const whyClaudesOwn = (event: string): string =>
  event.startsWith('Worktree')
    ? 'only Claude Code fires it, and makes and removes its worktrees with these hooks'
    : 'only Claude Code fires it';
