import type { DialectWire } from '../../model/index.ts';

export const events = {
  SessionStart: ['session.starting'],
  SessionEnd: ['session.ended'],
  UserPromptSubmit: ['prompt.submitting'],
  PreToolUse: ['tool.calling'],
  PermissionRequest: ['permission.requesting'],
  PostToolUse: ['tool.called'],
  PostToolUseFailure: ['tool.failed'],
  TaskCompleted: ['task.completing'],
  TeammateIdle: ['teammate.idling'],
  Stop: ['turn.ending'],
  StopFailure: ['iteration.failed'],
} as const satisfies DialectWire['events'];

export type Spelling = keyof typeof events;

export const isSpelling = (name: string): name is Spelling => Object.hasOwn(events, name);

/** Claude Code fires these as well; nothing in a session of ours is like them, so their hooks are left to Claude. */
export const otherEvents: ReadonlySet<string> = new Set([
  'ConfigChange',
  'CwdChanged',
  'DirectoryAdded',
  'Elicitation',
  'ElicitationResult',
  'FileChanged',
  'InstructionsLoaded',
  'MessageDisplay',
  'Notification',
  'PermissionDenied',
  'PostCompact',
  'PostModelSwitch',
  'PostToolBatch',
  'PreCompact',
  'PreModelSwitch',
  'Setup',
  'SubagentStart',
  'SubagentStop',
  'TaskCreated',
  'UserPromptExpansion',
  'WorktreeCreate',
  'WorktreeRemove',
]);
