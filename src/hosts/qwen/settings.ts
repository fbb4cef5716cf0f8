import { dirname, join } from 'node:path';
import { jsonText } from '../../platform/files.ts';
import { openaiChat } from '../doctor/model-wires.ts';
import type { Trust } from '../doctor/report.ts';
import type { AgentFolders } from '../host.ts';
import { claudeShellCall, type HostSettings } from '../settings.ts';
import {
  type Fields,
  folderTrust,
  readSettings,
  sandboxedSettings,
  switchedOff,
  trustedFolders,
  valueAt,
} from '../settings-files.ts';
import { qwen } from './host.ts';

export const settings: HostSettings = {
  holds: {
    kind: 'json',
    // Milliseconds, for commands.
    entry: ({ event, command }) => ({
      hooks: [{ type: 'command', name: 'hookloop', command, timeout: event.timeoutMs }],
    }),
  },
  program: 'qwen',
  shellCall: claudeShellCall('run_shell_command'),
  headless: {
    wire: openaiChat,
    shell: command => ({
      name: 'run_shell_command',
      args: { command, description: 'run a command', is_background: false },
    }),
    args: prompt => ['--auth-type', 'openai', '--yolo', '-o', 'stream-json', prompt],
    env: url => ({
      ...{ OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' },
      // Else it starts itself a second time, with more memory.
      QWEN_CODE_NO_RELAUNCH: 'true',
    }),
    files: (user, sandbox) => ({
      ...sandboxedSettings(qwen, user, sandbox, [['disableAllHooks'], ['security', 'folderTrust']], base),
      [trustFile(sandbox)]: trustedFolders(sandbox.root, trustOf(user)),
    }),
    trust: trustOf,
    switches: user =>
      switchedOff(qwen, user, ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined)),
    grant: sandbox => ({ files: { [trustFile(sandbox)]: trustedFolders(sandbox.root, 'trusted') } }),
    howToTrust: 'start qwen in this folder once and trust it (/trust shows the choice again)',
  },
  inSession: ({ hooks, keep }) => ({
    hooksTell: true,
    env: { QWEN_CODE_SYSTEM_SETTINGS_PATH: keep('qwen.json', jsonText({ hooks: hooks() })) },
  }),
};

const base: Fields = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };

const trustFile = (folders: AgentFolders): string => join(dirname(qwen.file('user', folders)), 'trustedFolders.json');

function trustOf(user: AgentFolders): Trust {
  const own = readSettings(qwen.file('user', user));
  if (valueAt(own, ['security', 'folderTrust', 'enabled']) !== true) return 'unneeded';
  return folderTrust(user.env['QWEN_CODE_TRUSTED_FOLDERS_PATH'] ?? trustFile(user), user.root);
}
