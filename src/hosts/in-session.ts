import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentStart, InSessionHooks } from '../model/agent.ts';
import type { EventName } from '../model/index.ts';
import { config as claude } from './claude/config.ts';
import { config as codex } from './codex/config.ts';
import type { HostConfig } from './config.ts';
import { hosts } from './index.ts';
import { config as qwen } from './qwen/config.ts';

interface Session {
  /** The line for `sh` that a hook of the agent runs. */
  command(agent: string): string;
  /** A private folder for settings that the agent is started with. */
  folder: string;
}

/** Makes an agent's own hooks call the session. Nothing is written into the project. */
export const createInSessionHooks =
  (command: Session['command'], folder: string): NonNullable<AgentStart['inSessionHooks']> =>
  (agent, env) =>
    Object.hasOwn(ways, agent) ? ways[agent]!({ command, folder }, env) : {};

/** Only what the protocol does not tell, or tells when it is too late. */
const wanted: ReadonlySet<EventName> = new Set(['tool.calling', 'tool.called', 'tool.failed']);

/** Agents whose own hooks also fire over ACP; those whose hooks do not are made to ask before every tool, which is as good. */
const ways: Readonly<Record<string, (session: Session, env: Readonly<Record<string, string>>) => InSessionHooks>> = {
  claude: session => ({
    hooksTell: true,
    meta: {
      claudeCode: { options: { settings: keep(session, 'claude.json', json({ hooks: entries(claude, session) })) } },
    },
  }),
  // What it does not trust it would leave out without a word.
  codex: (session, env) => ({
    hooksTell: true,
    env: {
      CODEX_CONFIG: JSON.stringify({
        ...parsed(env['CODEX_CONFIG']),
        bypass_hook_trust: true,
        hooks: entries(codex, session),
      }),
    },
  }),
  gemini: session => ({ args: ['--policy', keep(session, 'gemini.toml', askAlways)] }),
  opencode: (_session, env) =>
    env['OPENCODE_CONFIG_CONTENT'] === undefined
      ? { env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"*":"ask","edit":"ask","bash":"ask"}}' } }
      : {},
  qwen: session => ({
    hooksTell: true,
    env: { QWEN_CODE_SYSTEM_SETTINGS_PATH: keep(session, 'qwen.json', json({ hooks: entries(qwen, session) })) },
  }),
};

const askAlways = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 999\n';

function entries({ name, holds }: HostConfig, session: Session): Readonly<Record<string, readonly unknown[]>> {
  if (holds.kind !== 'json') return {};
  const native = Object.entries(hosts[name].events).filter(([, { fires }]) => fires.some(event => wanted.has(event)));
  const command = session.command(name);
  return Object.fromEntries(
    native.map(([event, spec]) => [event, [holds.entry({ native: event, event: spec, command })]]),
  );
}

const json = (settings: unknown): string => `${JSON.stringify(settings, null, 2)}\n`;

function keep({ folder }: Session, file: string, text: string): string {
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
