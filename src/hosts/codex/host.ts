import { join } from 'node:path';
import { nestedAnswer } from '../answer-json.ts';
import { type AgentFolders, folderIn, type Host } from '../host.ts';
import { native, reader } from '../native-events.ts';

const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  PreToolUse: native(['tool.calling'], ['blocks', 'feedback', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  PostToolUse: native(['tool.called', 'file.edited'], ['blocks', 'feedback']),
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  // Codex waits 3 s at most, whatever its file says.
  SessionEnd: native(['session.ended'], [], 3000),
};

export const codex: Host = {
  name: 'codex',
  events,
  projectVariables: [],
  capsTurns: false,
  file: (scope, folders) => join(codexFolder(scope, folders), 'hooks.json'),
  otherFiles: folders => [configFile('project', folders), configFile('user', folders)],
  read: reader('codex', events),
  // Codex throws an answer away, and the tool runs, for `ask`, for `continue: false` before a tool and for any field it does not know.
  answer: nestedAnswer({
    events,
    styles: {
      SessionStart: 'tell',
      UserPromptSubmit: 'decision',
      PreToolUse: 'permission',
      PermissionRequest: 'request',
      PostToolUse: 'decision',
      Stop: 'turn',
    },
    ask: false,
    end: false,
  }),
};

export const configFile = (scope: 'user' | 'project', folders: AgentFolders): string =>
  join(codexFolder(scope, folders), 'config.toml');

const codexFolder = (scope: string, folders: AgentFolders): string =>
  scope === 'user' ? (folderIn(folders, 'CODEX_HOME') ?? join(folders.home, '.codex')) : join(folders.root, '.codex');
