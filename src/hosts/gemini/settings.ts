import { dirname, join } from 'node:path';
import { geminiGenerate } from '../doctor/model-wires.ts';
import type { Trust } from '../doctor/report.ts';
import type { AgentFolders } from '../host.ts';
import { claudeShellCall, type HostSettings } from '../settings.ts';
import {
  type Fields,
  folderTrust,
  listOf,
  readSettings,
  sandboxedSettings,
  switchedOff,
  trustedFolders,
  valueAt,
} from '../settings-files.ts';
import { gemini } from './host.ts';

export const settings: HostSettings = {
  holds: {
    kind: 'json',
    // Milliseconds.
    entry: ({ event, command }) => ({
      hooks: [{ type: 'command', name: 'hookloop', command, timeout: event.timeoutMs }],
    }),
  },
  program: 'gemini',
  shellCall: claudeShellCall('run_shell_command'),
  headless: {
    wire: geminiGenerate,
    shell: command => ({ name: 'run_shell_command', args: { command, description: 'run a command' } }),
    args: prompt => ['--yolo', '-o', 'stream-json', '-p', prompt],
    env: url => ({
      ...{ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: 'false' },
      // Else it starts itself a second time, with more memory.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    keepsEnv: ['GEMINI_CLI_TRUST_WORKSPACE', 'GEMINI_RESTRICTED_MODE'],
    files: (user, sandbox) => ({
      ...sandboxedSettings(gemini, user, sandbox, [['hooksConfig'], ['security', 'folderTrust']], base),
      [trustFile(sandbox)]: trustedFolders(sandbox.root, trustOf(user)),
    }),
    trust: trustOf,
    switches: user => switchedOff(gemini, user, offIn),
    grant: () => ({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
    howToTrust: 'start gemini in this folder once and trust it (/permissions shows the choice again)',
  },
  // Its hooks do not fire over ACP; that it asks before every tool is as good.
  inSession: ({ keep }) => ({ args: ['--policy', keep('gemini.toml', askAlways)] }),
};

const base: Fields = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  model: { name: 'gemini-2.5-flash' },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
};

const askAlways = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 999\n';

const trustFile = (folders: AgentFolders): string => join(dirname(gemini.file('user', folders)), 'trustedFolders.json');

function trustOf(user: AgentFolders): Trust {
  const { env } = user;
  if (env['GEMINI_RESTRICTED_MODE'] === 'true' || env['GEMINI_CLI_TRUST_WORKSPACE'] === 'false') return 'untrusted';
  if (env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return 'trusted';
  const own = readSettings(gemini.file('user', user));
  if (valueAt(own, ['security', 'folderTrust', 'enabled']) === false) return 'unneeded';
  return folderTrust(env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] ?? trustFile(user), user.root);
}

function offIn(fields: Fields): string | undefined {
  if (valueAt(fields, ['hooksConfig', 'enabled']) === false) return 'hooksConfig.enabled = false';
  const disabled = listOf(valueAt(fields, ['hooksConfig', 'disabled']));
  return disabled.includes('hookloop') ? '"hookloop" under hooksConfig.disabled' : undefined;
}
