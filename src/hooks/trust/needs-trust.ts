import type { HookDefinition } from '../../model/index.ts';

/** The user's own files need no trust; those of a project do, and a plugin that lies inside of it is the project's. */
export const needsTrust = ({ source: { scope, file } }: HookDefinition): boolean =>
  scope !== 'user' && (scope !== 'plugin' || !file.startsWith('/'));
