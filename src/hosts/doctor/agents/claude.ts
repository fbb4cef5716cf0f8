import { dirname, join } from 'node:path';
import { config } from '../../claude/config.ts';
import { folderIn, type InstallPlaces } from '../../config.ts';
import { anthropicMessages } from '../../models/anthropic-messages.ts';
import type { HeadlessAgent } from '../headless.ts';
import { fieldsOf, readSettings } from '../settings.ts';
import { stagedSettings, switchedOff } from './json-files.ts';

export const claude: HeadlessAgent = {
  wire: anthropicMessages,
  shell: command => ({ name: 'Bash', args: { command, description: 'run a command' } }),
  args: prompt => [
    ...['-p', prompt, '--output-format', 'stream-json', '--verbose'],
    ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'],
  ],
  env: url => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  keepsEnv: [],
  files: (user, stage) => stagedSettings(config, user, stage, [['disableAllHooks'], ['allowManagedHooksOnly']]),
  trust: user => (foldersAbove(user.root).some(isAccepted(user)) ? 'trusted' : 'untrusted'),
  switches: user =>
    switchedOff(config, user, ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined)),
  howToTrust: 'start claude in this folder once and accept the question whether you trust it',
};

/** Its dialog asks once for a folder and what is below it. */
function isAccepted({ home, env }: InstallPlaces): (folder: string) => boolean {
  const folder = folderIn({ root: '', home, env }, 'CLAUDE_CONFIG_DIR') ?? home;
  const projects = fieldsOf(readSettings(join(folder, '.claude.json'))['projects']);
  return path => Object.hasOwn(projects, path) && fieldsOf(projects[path])['hasTrustDialogAccepted'] === true;
}

const foldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];
