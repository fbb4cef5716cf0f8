import { join } from 'node:path';
import { readFile } from '../../install/read-file.ts';
import { openaiChat } from '../../models/openai-chat.ts';
import { config } from '../../opencode/config.ts';
import type { HeadlessAgent } from '../headless.ts';
import { scopes } from './json-files.ts';

export const opencode: HeadlessAgent = {
  wire: openaiChat,
  shell: command => ({ name: 'bash', args: { command, description: 'run a command' } }),
  args: prompt => ['run', '--format', 'json', prompt],
  env: url => ({
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    // It installs a package for plugins, and without a network waits for it longer than anybody else does.
    npm_config_registry: url,
    npm_config_fetch_retries: '0',
  }),
  keepsEnv: [],
  files(user, stage, url) {
    const plugins = scopes.flatMap(scope => {
      const found = readFile(config.file(scope, user), undefined);
      const isOurs =
        found.kind === 'text' && config.holds.kind === 'code' && found.text.startsWith(config.holds.firstLine);
      return isOurs ? [[config.file(scope, stage), found.text] as const] : [];
    });
    return {
      ...Object.fromEntries(plugins),
      [join(stage.home, '.config/opencode/opencode.json')]: `${JSON.stringify(settings(url))}\n`,
      [join(stage.home, '.npmrc')]: `registry=${url}\nfetch-retries=0\n`,
    };
  },
  trust: () => 'unneeded',
  switches: () => [],
  howToTrust: 'opencode runs every plugin',
};

const settings = (url: string) => ({
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
      models: { scripted: { name: 'Scripted' } },
    },
  },
  model: 'scripted/scripted',
  small_model: 'scripted/scripted',
  autoupdate: false,
});
