import { type Fields, fieldsOf } from '../../model/json.ts';
import { jsonText } from '../../platform/files.ts';
import type { Trust } from '../doctor/agent-report.ts';
import { openaiChat } from '../doctor/model-protocols.ts';
import { type AgentFolders, settingsFile } from '../host.ts';
import { claudeShellCall, geminiEntry, type HostSettings } from '../settings.ts';
import { allHooksOff, folderTrust, readSettings, sandboxedSettings, switchedOff, valueAt } from '../settings-files.ts';
import { qwen } from './host.ts';

export const settings: HostSettings = {
  holds: { kind: 'json', entry: geminiEntry },
  program: 'qwen',
  shellCall: claudeShellCall('run_shell_command'),
  headless: {
    protocol: openaiChat,
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
      ...sandboxedSettings(qwen, user, sandbox, kept),
      ...trusted.sandboxed(sandbox, trustOf(user)),
    }),
    trust: trustOf,
    switches: user => switchedOff(qwen, user, allHooksOff),
    grant: sandbox => ({ files: trusted.sandboxed(sandbox, 'trusted') }),
    howToTrust: 'start qwen in this folder once and trust it (/trust shows the choice again)',
  },
  inSession: ({ hooks, keep }) => ({
    hooksTell: true,
    env: { QWEN_CODE_SYSTEM_SETTINGS_PATH: keep('qwen.json', jsonText({ hooks: hooks() })) },
  }),
};

const kept = ({ disableAllHooks, security }: Fields): Fields => ({
  ...{ disableAllHooks, security: { folderTrust: fieldsOf(security)['folderTrust'] } },
  ...{ privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } },
});

const trusted = folderTrust(qwen, 'QWEN_CODE_TRUSTED_FOLDERS_PATH');

function trustOf(user: AgentFolders): Trust {
  const own = readSettings(settingsFile(qwen, 'user', user));
  if (valueAt(own, ['security', 'folderTrust', 'enabled']) !== true) return 'unneeded';
  return trusted.of(user);
}
