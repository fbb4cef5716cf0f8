import { dirname, join } from 'node:path';
import { config } from '../../codex/config.ts';
import type { InstallPlaces } from '../../config.ts';
import { openaiResponses } from '../../models/openai-responses.ts';
import type { Files, HeadlessAgent } from '../headless.ts';
import { ownHooks } from '../own-hooks.ts';
import { type Fields, fieldsOf, picked, readSettings, valueAt } from '../settings.ts';
import { codexTrust, isProjectTrusted, movedState } from './codex-trust.ts';
import { tomlText } from './toml-text.ts';

export const codex: HeadlessAgent = {
  wire: openaiResponses,
  shell: command => ({ name: 'exec_command', args: { cmd: command } }),
  args: prompt => ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
  env: () => ({ CODEX_API_KEY: 'scripted' }),
  keepsEnv: [],
  files: (user, stage, url) => ({ ...stagedHooks(user, stage), ...stagedConfigs(user, stage, url) }),
  trust: codexTrust,
  switches(user) {
    const file = configFile('user', user);
    const features = fieldsOf(readSettings(file)['features']);
    const off = ['hooks', 'codex_hooks'].find(name => features[name] === false);
    if (off === undefined) return [];
    const what = `${off} = false under [features]`;
    return [{ severity: 'warning', message: `${what} in ${file} switches hooks off`, fix: `remove ${what}` }];
  },
  grant: stage => ({
    args: ['--dangerously-bypass-hook-trust', '-c', `projects.${JSON.stringify(stage.root)}.trust_level="trusted"`],
  }),
  howToTrust:
    'start codex in this folder, trust the folder, and in the review of its hooks (/hooks) trust those of hookloop',
};

const configFile = (scope: 'user' | 'project', places: InstallPlaces): string =>
  join(dirname(config.file(scope, places)), 'config.toml');

function stagedHooks(user: InstallPlaces, stage: InstallPlaces): Files {
  const files = (['user', 'project'] as const).flatMap(scope => {
    // What is trusted is known by its place in the file.
    const hooks = ownHooks(readSettings(config.file(scope, user)), 'blank');
    return Object.keys(hooks).length === 0 ? [] : [[config.file(scope, stage), JSON.stringify({ hooks })] as const];
  });
  return Object.fromEntries(files);
}

function stagedConfigs(user: InstallPlaces, stage: InstallPlaces, url: string): Files {
  const own = readSettings(configFile('user', user));
  const level = isProjectTrusted(user) ? { [stage.root]: { trust_level: 'trusted' } } : {};
  const state = movedState(fieldsOf(valueAt(own, ['hooks', 'state'])), user, stage);
  return {
    [configFile('user', stage)]: tomlText({
      ...provider(url),
      ...picked(own, [
        ['features', 'hooks'],
        ['features', 'codex_hooks'],
      ]),
      hooks: { ...tomlHooks(own), state },
      projects: level,
    }),
    [configFile('project', stage)]: tomlText({ hooks: tomlHooks(readSettings(configFile('project', user))) }),
  };
}

function tomlHooks(settings: Fields): Fields {
  const { state: _state, ...hooks } = ownHooks(settings, 'blank');
  return hooks;
}

const provider = (url: string): Fields => ({
  // Of its catalogue: others get fewer tools.
  model: 'gpt-5.5',
  model_provider: 'scripted',
  model_providers: {
    scripted: {
      name: 'Scripted',
      base_url: `${url}/v1`,
      env_key: 'CODEX_API_KEY',
      wire_api: 'responses',
      request_max_retries: 0,
      stream_max_retries: 0,
    },
  },
});
