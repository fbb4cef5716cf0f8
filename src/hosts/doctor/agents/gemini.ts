import { dirname, join } from 'node:path';
import type { InstallPlaces } from '../../config.ts';
import { config } from '../../gemini/config.ts';
import { geminiGenerate } from '../../models/gemini-generate.ts';
import type { HeadlessAgent } from '../headless.ts';
import type { Trust } from '../report.ts';
import { type Fields, readSettings, valueAt } from '../settings.ts';
import { folderTrust, trustedFolders } from './folder-trust.ts';
import { stagedSettings, switchedOff } from './json-files.ts';

export const gemini: HeadlessAgent = {
  wire: geminiGenerate,
  shell: command => ({ name: 'run_shell_command', args: { command, description: 'run a command' } }),
  args: prompt => ['--yolo', '-o', 'stream-json', '-p', prompt],
  env: url => ({ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: 'false', ...once }),
  keepsEnv: ['GEMINI_CLI_TRUST_WORKSPACE', 'GEMINI_RESTRICTED_MODE'],
  files: (user, stage) => ({
    ...stagedSettings(config, user, stage, [['hooksConfig'], ['security', 'folderTrust']], base),
    [join(dirname(config.file('user', stage)), 'trustedFolders.json')]: trustedFolders(stage.root, trustOf(user)),
  }),
  trust: trustOf,
  switches: user => switchedOff(config, user, offIn),
  grant: () => ({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
  howToTrust: 'start gemini in this folder once and trust it (/permissions shows the choice again)',
};

/** Else it starts itself a second time, with more memory. */
const once = { GEMINI_CLI_NO_RELAUNCH: 'true' };

const base: Fields = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  model: { name: 'gemini-2.5-flash' },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
};

function trustOf(user: InstallPlaces): Trust {
  const { env } = user;
  if (env['GEMINI_RESTRICTED_MODE'] === 'true' || env['GEMINI_CLI_TRUST_WORKSPACE'] === 'false') return 'untrusted';
  if (env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return 'trusted';
  const file = config.file('user', user);
  if (valueAt(readSettings(file), ['security', 'folderTrust', 'enabled']) === false) return 'unneeded';
  return folderTrust(env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] ?? join(dirname(file), 'trustedFolders.json'), user.root);
}

function offIn(settings: Fields): string | undefined {
  if (valueAt(settings, ['hooksConfig', 'enabled']) === false) return 'hooksConfig.enabled = false';
  const disabled = valueAt(settings, ['hooksConfig', 'disabled']);
  return Array.isArray(disabled) && disabled.includes('hookloop') ? '"hookloop" under hooksConfig.disabled' : undefined;
}
