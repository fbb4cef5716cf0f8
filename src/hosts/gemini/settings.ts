import { type Fields, fieldsOf } from '../../model/json.ts';
import type { Trust } from '../doctor/agent-report.ts';
import { geminiGenerate } from '../doctor/model-protocols.ts';
import { type AgentFolders, settingsFile } from '../host.ts';
import { claudeShellCall, geminiEntry, type HostSettings } from '../settings.ts';
import { folderTrust, listOf, readSettings, sandboxedSettings, switchedOff, valueAt } from '../settings-files.ts';
import { gemini } from './host.ts';

export const settings: HostSettings = {
  holds: { kind: 'json', entry: geminiEntry },
  program: 'gemini',
  shellCall: claudeShellCall('run_shell_command'),
  headless: {
    protocol: geminiGenerate,
    shell: command => ({ name: 'run_shell_command', args: { command, description: 'run a command' } }),
    args: prompt => ['--yolo', '-o', 'stream-json', '-p', prompt],
    env: url => ({
      ...{ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: 'false' },
      // Else it starts itself a second time, with more memory.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    keepsEnv: ['GEMINI_CLI_TRUST_WORKSPACE', 'GEMINI_RESTRICTED_MODE'],
    files: (user, sandbox) => ({
      ...sandboxedSettings(gemini, user, sandbox, kept),
      ...trusted.sandboxed(sandbox, trustOf(user)),
    }),
    trust: trustOf,
    switches: user => switchedOff(gemini, user, offIn),
    grant: () => ({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
    howToTrust: 'start gemini in this folder once and trust it (/permissions shows the choice again)',
  },
  // Its hooks do not fire over ACP; that it asks before every tool is as good.
  inSession: ({ keep }) => ({ args: ['--policy', keep('gemini.toml', askAlways)] }),
};

const kept = ({ hooksConfig, security }: Fields): Fields => ({
  hooksConfig,
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: fieldsOf(security)['folderTrust'] },
  model: { name: 'gemini-2.5-flash' },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
});

const askAlways = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 999\n';

const trusted = folderTrust(gemini, 'GEMINI_CLI_TRUSTED_FOLDERS_PATH');

function trustOf(user: AgentFolders): Trust {
  const { env } = user;
  if (env['GEMINI_RESTRICTED_MODE'] === 'true' || env['GEMINI_CLI_TRUST_WORKSPACE'] === 'false') return 'untrusted';
  if (env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return 'trusted';
  const own = readSettings(settingsFile(gemini, 'user', user));
  if (valueAt(own, ['security', 'folderTrust', 'enabled']) === false) return 'unneeded';
  return trusted.of(user);
}

function offIn(fields: Fields): string | undefined {
  if (valueAt(fields, ['hooksConfig', 'enabled']) === false) return 'hooksConfig.enabled = false';
  const disabled = listOf(valueAt(fields, ['hooksConfig', 'disabled']));
  return disabled.includes('hookloop') ? '"hookloop" under hooksConfig.disabled' : undefined;
}
