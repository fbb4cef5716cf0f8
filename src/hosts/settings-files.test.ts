import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseToml } from '../config/toml.ts';
import { settings as codexSettings } from './codex/settings.ts';
import { settings as geminiSettings } from './gemini/settings.ts';
import type { AgentFolders } from './host.ts';
import { settings as qwenSettings } from './qwen/settings.ts';
import type { HeadlessAgent } from './settings.ts';
import { readSettings, tomlText } from './settings-files.ts';

const [codex, gemini, qwen] = [codexSettings, geminiSettings, qwenSettings].map(
  ({ headless }) => headless as HeadlessAgent,
) as [HeadlessAgent, HeadlessAgent, HeadlessAgent];

let folder: string;
let user: AgentFolders;
let sandbox: AgentFolders;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloop-doctor-agents-'));
  const folders = (name: string): AgentFolders => ({
    root: join(folder, name, 'project'),
    home: join(folder, name, 'home'),
    env: {},
  });
  [user, sandbox] = [folders('user'), folders('sandbox')];
  for (const made of [user.root, user.home]) mkdirSync(made, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string | object): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  return path;
}

const own = {
  type: 'command',
  command: '/state/bin/hookloop hook codex PreToolUse || exit 2 # hookloop',
  timeout: 600,
};
const theirs = { type: 'command', command: 'rm -rf everything' };

describe('codex', () => {
  const trusted = (root: string, file: string): string =>
    tomlText({
      model: 'mine',
      mcp_servers: { mine: { command: 'serve-me' } },
      features: { hooks: true, other: true },
      projects: { [root]: { trust_level: 'trusted' }, '/elsewhere': { trust_level: 'trusted' } },
      hooks: { state: { [`${file}:pre_tool_use:1:0`]: { trusted_hash: 'sha256:1' } } },
    });

  test('in the sandbox has the same trust at the same places, and nothing else of the user', () => {
    const file = write(join(user.root, '.codex/hooks.json'), {
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [theirs] }, { hooks: [own] }] },
    });
    write(join(user.home, '.codex/config.toml'), trusted(user.root, file));
    const files = codex.files(user, sandbox, 'http://127.0.0.1:1');
    for (const [path, text] of Object.entries(files)) write(path, text);
    const sandboxed = join(sandbox.root, '.codex/hooks.json');
    expect(readSettings(sandboxed)['hooks']).toEqual({
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }, { hooks: [own] }],
    });
    const settings = readSettings(join(sandbox.home, '.codex/config.toml'));
    expect(Object.keys(settings).sort()).toEqual(
      ['features', 'hooks', 'model', 'model_provider', 'model_providers', 'projects'].sort(),
    );
    expect(settings).toMatchObject({ model_provider: 'scripted' });
    expect(settings['features']).toEqual({ hooks: true });
    expect(settings['projects']).toEqual({ [sandbox.root]: { trust_level: 'trusted' } });
    expect(settings['hooks']).toEqual({ state: { [`${sandboxed}:pre_tool_use:1:0`]: { trusted_hash: 'sha256:1' } } });
    expect(codex.trust(user, [file])).toBe('trusted');
  });

  test('does not trust an entry at another place, an entry that is off, or a folder no one trusts', () => {
    const file = write(join(user.root, '.codex/hooks.json'), { hooks: { PreToolUse: [{ hooks: [own] }] } });
    const config = join(user.home, '.codex/config.toml');
    const state = (fields: object, at = 0) =>
      tomlText({
        projects: { [user.root]: { trust_level: 'trusted' } },
        hooks: { state: { [`${file}:pre_tool_use:${at}:0`]: fields } },
      });
    const trustWith = (text: string) => {
      write(config, text);
      return codex.trust(user, [file]);
    };
    expect(trustWith(state({ trusted_hash: 'x' }))).toBe('trusted');
    expect(trustWith(state({ trusted_hash: 'x' }, 1))).toBe('untrusted');
    expect(trustWith(state({ trusted_hash: 'x', enabled: false }))).toBe('untrusted');
    expect(trustWith(state({ trusted_hash: 'x' }).replace('"trusted"', '"untrusted"'))).toBe('untrusted');
  });

  test('with hooks switched off says where', () => {
    write(join(user.home, '.codex/config.toml'), '[features]\nhooks = false\n');
    expect(codex.switches(user)[0]).toMatchObject({ fix: 'remove hooks = false under [features]' });
  });
});

describe('gemini', () => {
  const rules = (levels: object) => write(join(user.home, '.gemini/trustedFolders.json'), levels);

  test('trusts a folder by the longest rule that has it inside', () => {
    expect(gemini.trust(user, [])).toBe('untrusted');
    rules({ [user.root]: 'TRUST_FOLDER' });
    expect(gemini.trust(user, [])).toBe('trusted');
    rules({ [dirname(user.root)]: 'TRUST_FOLDER', [user.root]: 'DO_NOT_TRUST' });
    expect(gemini.trust(user, [])).toBe('untrusted');
    rules({ [join(dirname(user.root), 'sibling')]: 'TRUST_PARENT' });
    expect(gemini.trust(user, [])).toBe('trusted');
    rules({ [`${user.root}-not`]: 'TRUST_FOLDER' });
    expect(gemini.trust(user, [])).toBe('untrusted');
  });

  test('needs no trust where the user has switched it off, and the environment wins over files', () => {
    write(join(user.home, '.gemini/settings.json'), { security: { folderTrust: { enabled: false } } });
    expect(gemini.trust(user, [])).toBe('unneeded');
    expect(gemini.trust({ ...user, env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } }, [])).toBe('untrusted');
  });

  test('in the sandbox keeps what decides about hooks, and no key, server or hook of others', () => {
    write(join(user.home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'oauth-personal' }, folderTrust: { enabled: true } },
      hooksConfig: { disabled: ['other'] },
      mcpServers: { mine: { command: 'serve-me' } },
      hooks: { BeforeTool: [{ hooks: [theirs] }] },
    });
    const text = gemini.files(user, sandbox, '')[join(sandbox.home, '.gemini/settings.json')]!;
    expect(JSON.parse(text)).toMatchObject({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
      hooksConfig: { disabled: ['other'] },
    });
    expect(text).not.toMatch(/serve-me|rm -rf|oauth/);
    expect(gemini.switches(user)).toEqual([]);
  });

  test.each([
    [{ hooksConfig: { enabled: false } }, 'hooksConfig.enabled = false'],
    [{ hooksConfig: { disabled: ['hookloop'] } }, '"hookloop" under hooksConfig.disabled'],
  ])('says what is switched off by %j', (settings, what) => {
    const file = write(join(user.root, '.gemini/settings.json'), settings);
    expect(gemini.switches(user)).toEqual([
      { severity: 'warning', message: `${what} in ${file} switches hooks off`, fix: `remove ${what} from ${file}` },
    ]);
  });
});

test('qwen asks for trust only where the user has switched it on', () => {
  expect(qwen.trust(user, [])).toBe('unneeded');
  write(join(user.home, '.qwen/settings.json'), { security: { folderTrust: { enabled: true } } });
  expect(qwen.trust(user, [])).toBe('untrusted');
  write(join(user.home, '.qwen/trustedFolders.json'), { [user.root]: 'TRUST_FOLDER' });
  expect(qwen.trust(user, [])).toBe('trusted');
});

test('a TOML text says what it was made of', () => {
  const fields = { 'a "key".x': ['one\n', 2, true, { 'in ner': [] }], empty: {}, deep: { er: { yet: '\u007f' } } };
  const path = write(join(folder, 'any.toml'), tomlText(fields));
  expect(parseToml(tomlText(fields)).kind).toBe('parsed');
  expect(readSettings(path)).toEqual(fields);
});
