import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config as claude } from '../../hosts/claude/config.ts';
import { config as codex } from '../../hosts/codex/config.ts';
import type { HostConfig } from '../../hosts/config.ts';
import { hosts } from '../../hosts/index.ts';
import { config as qwen } from '../../hosts/qwen/config.ts';
import type { Bridge } from '../../model/agent.ts';
import type { EventName } from '../../model/index.ts';

/** What makes an agent's own hooks call the session, for its process alone. Nothing is written into the project. */
export interface Bridged {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Goes with every new conversation. */
  meta?: Readonly<Record<string, unknown>>;
  /** Hooks tell of each tool call before it is made. */
  hooksTell?: true;
}

/** Only what the protocol does not tell, or tells when it is too late. */
const wanted: ReadonlySet<EventName> = new Set(['tool.calling', 'tool.called', 'tool.failed']);

/** Agents whose own hooks also fire over ACP; those whose hooks do not are made to ask before every tool, which is as good. */
const bridges: Readonly<Record<string, (bridge: Bridge, env: Readonly<Record<string, string>>) => Bridged>> = {
  claude: bridge => ({
    hooksTell: true,
    meta: {
      claudeCode: { options: { settings: keep(bridge, 'claude.json', json({ hooks: entries(claude, bridge) })) } },
    },
  }),
  // What it does not trust it would leave out without a word.
  codex: (bridge, env) => ({
    hooksTell: true,
    env: {
      CODEX_CONFIG: JSON.stringify({
        ...parsed(env['CODEX_CONFIG']),
        bypass_hook_trust: true,
        hooks: entries(codex, bridge),
      }),
    },
  }),
  gemini: bridge => ({ args: ['--policy', keep(bridge, 'gemini.toml', askAlways)] }),
  opencode: (_bridge, env) =>
    env['OPENCODE_CONFIG_CONTENT'] === undefined
      ? { env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"*":"ask","edit":"ask","bash":"ask"}}' } }
      : {},
  qwen: bridge => ({
    hooksTell: true,
    env: { QWEN_CODE_SYSTEM_SETTINGS_PATH: keep(bridge, 'qwen.json', json({ hooks: entries(qwen, bridge) })) },
  }),
};

const askAlways = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 999\n';

/** Contract: throws file errors. */
export const bridgeTo = (name: string, bridge: Bridge, env: Readonly<Record<string, string>>): Bridged =>
  Object.hasOwn(bridges, name) ? bridges[name]!(bridge, env) : {};

function entries({ name, holds }: HostConfig, bridge: Bridge): Readonly<Record<string, readonly unknown[]>> {
  if (holds.kind !== 'json') return {};
  const native = Object.entries(hosts[name].events).filter(([, { fires }]) => fires.some(event => wanted.has(event)));
  const command = bridge.command(name);
  return Object.fromEntries(
    native.map(([event, spec]) => [event, [holds.entry({ native: event, event: spec, command })]]),
  );
}

const json = (settings: unknown): string => `${JSON.stringify(settings, null, 2)}\n`;

function keep({ folder }: Bridge, file: string, text: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, file);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function parsed(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
