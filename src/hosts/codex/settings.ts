import { dirname, join } from 'node:path';
import { type Fields, fieldsOf } from '../../model/json.ts';
import { realPath } from '../../platform/folders.ts';
import { finding, type Trust } from '../doctor/agent-report.ts';
import { openaiResponses } from '../doctor/model-protocols.ts';
import { type AgentFolders, settingsFile } from '../host.ts';
import { parsed } from '../native-events.ts';
import { claudeEntry, claudeShellCall, type Files, type HostSettings } from '../settings.ts';
import { isOwnEntry, listOf, ownHooks, readSettings, tomlText, valueAt } from '../settings-files.ts';
import { codex } from './host.ts';

export const settings: HostSettings = {
  holds: { kind: 'json', entry: claudeEntry, toml: 'config.toml' },
  program: 'codex',
  shellCall: claudeShellCall('Bash'),
  headless: {
    protocol: openaiResponses,
    shell: command => ({ name: 'exec_command', args: { cmd: command } }),
    args: prompt => ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: () => ({ CODEX_API_KEY: 'scripted' }),
    files: (user, sandbox, url) => ({ ...sandboxedHooks(user, sandbox), ...sandboxedConfigs(user, sandbox, url) }),
    trust: trustOf,
    switches(user) {
      const file = configFile('user', user);
      const features = fieldsOf(readSettings(file)['features']);
      const off = ['hooks', 'codex_hooks'].find(name => features[name] === false);
      if (off === undefined) return [];
      const what = `${off} = false under [features]`;
      return [finding('warning', `${what} in ${file} switches hooks off`, `remove ${what}`)];
    },
    grant: sandbox => ({
      args: ['--dangerously-bypass-hook-trust', '-c', `projects.${JSON.stringify(sandbox.root)}.trust_level="trusted"`],
    }),
    howToTrust:
      'start codex in this folder, trust the folder, and in the review of its hooks (/hooks) trust those of hookloop',
  },
  // What it does not trust it would leave out without a word.
  inSession: ({ hooks }, { CODEX_CONFIG }) => ({
    hooksTell: true,
    env: {
      CODEX_CONFIG: JSON.stringify({ ...fieldsOf(parsed(CODEX_CONFIG)), bypass_hook_trust: true, hooks: hooks() }),
    },
  }),
};

const configFile = (scope: 'user' | 'project', folders: AgentFolders): string =>
  join(dirname(settingsFile(codex, scope, folders)), 'config.toml');

function sandboxedHooks(user: AgentFolders, sandbox: AgentFolders): Files {
  const files = (['user', 'project'] as const).flatMap(scope => {
    // What is trusted is known by its place in the file.
    const hooks = ownHooks(readSettings(settingsFile(codex, scope, user)), 'blank');
    return Object.keys(hooks).length === 0
      ? []
      : [[settingsFile(codex, scope, sandbox), JSON.stringify({ hooks })] as const];
  });
  return Object.fromEntries(files);
}

function sandboxedConfigs(user: AgentFolders, sandbox: AgentFolders, url: string): Files {
  const own = readSettings(configFile('user', user));
  const { hooks, codex_hooks } = fieldsOf(own['features']);
  const state = movedState(fieldsOf(valueAt(own, ['hooks', 'state'])), user, sandbox);
  return {
    [configFile('user', sandbox)]: tomlText({
      ...provider(url),
      features: { hooks, codex_hooks },
      hooks: { ...ownHooks(own, 'blank'), state },
      projects: isProjectTrusted(user) ? { [sandbox.root]: { trust_level: 'trusted' } } : {},
    }),
    [configFile('project', sandbox)]: tomlText({ hooks: ownHooks(readSettings(configFile('project', user)), 'blank') }),
  };
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

/** Whether each entry of ours has been trusted once. Whether it still reads the same only Codex can tell. */
function trustOf(user: AgentFolders, files: readonly string[]): Trust {
  const userConfig = configFile('user', user);
  const state = fieldsOf(valueAt(readSettings(userConfig), ['hooks', 'state']));
  const isKnown = (file: string): boolean =>
    keysIn(file).every(key => [key, realPath(file) + key.slice(file.length)].some(name => isTrusted(state[name])));
  const isProject = (file: string): boolean => dirname(file) !== dirname(userConfig);
  const isOpen = (files.length > 0 && !files.some(isProject)) || isProjectTrusted(user);
  return isOpen && files.every(isKnown) ? 'trusted' : 'untrusted';
}

/** Without it Codex does not read the project's folder at all. */
function isProjectTrusted(user: AgentFolders): boolean {
  const projects = fieldsOf(readSettings(configFile('user', user))['projects']);
  return [user.root, realPath(user.root)].some(root => fieldsOf(projects[root])['trust_level'] === 'trusted');
}

/** The same state for files that stand elsewhere: its keys begin with their paths. */
function movedState(state: Fields, user: AgentFolders, sandbox: AgentFolders): Fields {
  const moves = (['user', 'project'] as const).flatMap(scope => {
    const [from, to] = [dirname(settingsFile(codex, scope, user)), dirname(settingsFile(codex, scope, sandbox))];
    return [from, realPath(from)].map(folder => ({ from: `${folder}/`, to: `${to}/` }));
  });
  const moved = Object.entries(state).flatMap(([key, value]) => {
    const move = moves.find(({ from }) => key.startsWith(from));
    return move ? [[move.to + key.slice(move.from.length), value] as const] : [];
  });
  return Object.fromEntries(moved);
}

const isTrusted = (value: unknown): boolean => {
  const { trusted_hash, enabled } = fieldsOf(value);
  return typeof trusted_hash === 'string' && enabled !== false;
};

/** `FILE:pre_tool_use:GROUP:INDEX` for each entry of ours. */
const keysIn = (file: string): string[] =>
  Object.entries(fieldsOf(readSettings(file)['hooks'])).flatMap(([native, groups]) =>
    listOf(groups).flatMap((group, at) =>
      listOf(fieldsOf(group)['hooks']).flatMap((entry, index) =>
        isOwnEntry(entry) ? [`${file}:${snakeCase(native)}:${at}:${index}`] : [],
      ),
    ),
  );

const snakeCase = (name: string): string => name.replaceAll(/(?<=.)[A-Z]/g, letter => `_${letter}`).toLowerCase();
