import { join } from 'node:path';
import { openaiChat } from '../doctor/model-protocols.ts';
import { installScopes, settingsFile } from '../host.ts';
import { readFile } from '../install/installed-files.ts';
import type { HostSettings } from '../settings.ts';
import { opencode } from './host.ts';
import { pluginFirstLine, pluginText } from './plugin.ts';

export const settings: HostSettings = {
  holds: { kind: 'code', text: pluginText, firstLine: pluginFirstLine },
  program: 'opencode',
  shellCall: ({ id, cwd, input }) => ({ tool: 'bash', sessionID: 'canary', callID: id, args: input, directory: cwd }),
  headless: {
    protocol: openaiChat,
    shell: command => ({ name: 'bash', args: { command, description: 'run a command' } }),
    args: prompt => ['run', '--format', 'json', prompt],
    env: url => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // It installs a package for plugins, and without a network waits for it longer than anyone else does.
      npm_config_registry: url,
      npm_config_fetch_retries: '0',
    }),
    files(user, sandbox, url) {
      const plugins = installScopes.flatMap(scope => {
        const found = readFile(settingsFile(opencode, scope, user), undefined);
        const isOurs = found.kind === 'text' && found.text.startsWith(pluginFirstLine);
        return isOurs ? [[settingsFile(opencode, scope, sandbox), found.text] as const] : [];
      });
      return {
        ...Object.fromEntries(plugins),
        [join(sandbox.home, '.config/opencode/opencode.json')]: `${JSON.stringify(scriptedModel(url))}\n`,
        [join(sandbox.home, '.npmrc')]: `registry=${url}\nfetch-retries=0\n`,
      };
    },
    trust: () => 'unneeded',
    switches: () => [],
    howToTrust: 'opencode runs every plugin',
  },
  // No hook of it is a command; that it asks before every tool is as good.
  inSession: (_session, { OPENCODE_CONFIG_CONTENT: own }) =>
    own === undefined
      ? { env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"*":"ask","edit":"ask","bash":"ask"}}' } }
      : {},
};

const scriptedModel = (url: string) => ({
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
