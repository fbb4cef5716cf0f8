import { dirname, join } from 'node:path';
import type { InstallPlaces } from '../../config.ts';
import { openaiChat } from '../../models/openai-chat.ts';
import { config } from '../../qwen/config.ts';
import type { Files, HeadlessAgent } from '../headless.ts';
import type { Trust } from '../report.ts';
import { type Fields, readSettings, valueAt } from '../settings.ts';
import { folderTrust, trustedFolders } from './folder-trust.ts';
import { stagedSettings, switchedOff } from './json-files.ts';

export const qwen: HeadlessAgent = {
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
  keepsEnv: [],
  files: (user, stage) => ({
    ...stagedSettings(config, user, stage, [['disableAllHooks'], ['security', 'folderTrust']], base),
    ...trustFile(stage, trustOf(user)),
  }),
  trust: trustOf,
  switches: user =>
    switchedOff(config, user, ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined)),
  grant: stage => ({ files: trustFile(stage, 'trusted') }),
  howToTrust: 'start qwen in this folder once and trust it (/trust shows the choice again)',
};

const base: Fields = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };

const trustFile = (stage: InstallPlaces, trust: Trust): Files => ({
  [join(dirname(config.file('user', stage)), 'trustedFolders.json')]: trustedFolders(stage.root, trust),
});

function trustOf(user: InstallPlaces): Trust {
  const file = config.file('user', user);
  if (valueAt(readSettings(file), ['security', 'folderTrust', 'enabled']) !== true) return 'unneeded';
  const folders = user.env['QWEN_CODE_TRUSTED_FOLDERS_PATH'] ?? join(dirname(file), 'trustedFolders.json');
  return folderTrust(folders, user.root);
}
