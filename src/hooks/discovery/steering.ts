/** Variables that steer where hooks are found; a compiled plan is keyed by them. */
export const steeringVariables = ['HOME', 'XDG_CONFIG_HOME', 'CLAUDE_PLUGIN_ROOT', 'REPO_ROOT'] as const;
