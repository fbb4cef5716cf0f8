import type { DialectWire, HookEvent } from '../../model/index.ts';
import { given } from '../../model/json.ts';

/** What happens to the agent itself: its subagents, its context, its settings, what it tells people. */
export const lifeEvents = {
  SubagentStart: ['subagent.starting'],
  SubagentStop: ['subagent.ending'],
  PreCompact: ['context.compacting'],
  PostCompact: ['context.compacted'],
  PostToolBatch: ['tools.called'],
  PermissionDenied: ['permission.denied'],
  Notification: ['notification.sent'],
  ConfigChange: ['config.changing'],
  CwdChanged: ['folder.changed'],
  FileChanged: ['file.changed'],
  InstructionsLoaded: ['instructions.loaded'],
} as const satisfies DialectWire['events'];

type LifeSpelling = keyof typeof lifeEvents;

/** What a matcher of these events looks at; `tool` and `files` are no fields. */
export const lifeSubjects: { readonly [S in LifeSpelling]?: string } = {
  SubagentStart: 'subagentType',
  SubagentStop: 'subagentType',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  PermissionDenied: 'tool',
  Notification: 'kind',
  ConfigChange: 'source',
  FileChanged: 'files',
  InstructionsLoaded: 'source',
};

/** Claude Code throws away what hooks of these answer. */
export const lifeHeardByNoOne: readonly LifeSpelling[] = [
  'PostCompact',
  'PermissionDenied',
  'Notification',
  'CwdChanged',
  'FileChanged',
  'InstructionsLoaded',
];

/** What Claude Code says where the session does not know better. */
export const lifeDefaults: { readonly [S in LifeSpelling]?: Readonly<Record<string, unknown>> } = {
  PreCompact: { trigger: 'auto', custom_instructions: null },
  PostCompact: { trigger: 'auto' },
  SubagentStop: { stop_hook_active: false },
};

/** The fields of such an event under Claude's names; undefined: it is none of them. An absent value must not hide a field of the same name among the unknown ones. */
export function lifeFields(event: HookEvent): Record<string, unknown> | undefined {
  switch (event.name) {
    case 'subagent.starting':
      return subagent(event);
    case 'subagent.ending':
      return given({ ...subagent(event), stop_hook_active: event.again, last_assistant_message: event.message ?? '' });
    case 'context.compacting':
      return given({ trigger: event.trigger });
    case 'context.compacted':
      return given({ trigger: event.trigger, compact_summary: event.summary ?? '' });
    case 'tools.called':
      return { tool_calls: event.calls ?? [] };
    case 'permission.denied':
      return { reason: event.reason ?? '' };
    case 'notification.sent':
      return given({ message: event.message ?? '', notification_type: event.kind });
    case 'config.changing':
      return given({ source: event.source, file_path: event.file });
    case 'folder.changed':
      return { old_cwd: event.oldFolder ?? '', new_cwd: event.newFolder ?? '' };
    case 'file.changed':
      return { file_path: event.file ?? '', event: event.change ?? 'change' };
    case 'instructions.loaded':
      return given({ file_path: event.file ?? '', load_reason: event.source });
    default:
      return undefined;
  }
}

const subagent = ({ subagentId = '', subagentType = '' }: HookEvent): Record<string, unknown> => ({
  agent_id: subagentId,
  agent_type: subagentType,
});
