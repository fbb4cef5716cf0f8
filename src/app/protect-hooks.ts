import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childOf, flagOf } from '../config/located.ts';
import type { Pins } from '../hooks/trust/pins.ts';
import { createHookRule, type Protection, protectionOf } from '../hooks/trust/protection.ts';
import { settingsFiles } from '../hosts/host.ts';
import { agentNames, hosts } from '../hosts/index.ts';
import { claimsInMemory } from '../hosts/sessions/claims.ts';
import type { Decision, HookDefinition, HookEvent, Places } from '../model/index.ts';
import { cacheFolder, stateFolder } from '../platform/folders.ts';
import type { Env } from './context.ts';

/** What the rule protects. */
interface Protected {
  places: Places;
  hooks: readonly HookDefinition[];
  /** Files that the hooks name and run. */
  scripts(): readonly string[];
  env: Env;
}

/** What only the user may say, for all projects. */
export const userConfigFile = ({ config }: Places): string => join(config, 'hookloop', 'config.yaml');

/** Keeps an agent from lifting the gates that it is held to, unless the user's own file says that it may. */
export function hookRule({ places, hooks, scripts, env }: Protected): (event: HookEvent) => Promise<Decision> {
  let protection: Protection | undefined;
  return createHookRule(
    () => {
      protection ??= protectionOf({
        ...{ places, hooks, state: stateFolder(env), cache: cacheFolder(env) },
        claims: claimsInMemory(),
        program: process.argv[1],
        scripts: scripts(),
        settings: settingsOf(places, env),
      });
      return protection;
    },
    () => isSwitchedOff(userConfigFile(places)),
  );
}

export const pinnedScripts = ({ scripts }: Pins): string[] =>
  Object.values(scripts).flatMap(marks => marks.flatMap(([path, hash]) => (hash === null ? [] : [path])));

/** The settings files of each agent, of this project, of those around it and of the user. */
const settingsOf = ({ root, home, outer = [] }: Places, env: Env): Map<string, readonly string[]> =>
  new Map(
    agentNames.map(agent => [
      agent,
      [root, ...outer].flatMap(folder => settingsFiles(hosts[agent], { root: folder, home, env })),
    ]),
  );

/** A file that cannot be read switches nothing off. */
async function isSwitchedOff(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const { parseYaml } = await import('../config/yaml.ts');
  try {
    const parsed = parseYaml(readFileSync(file, 'utf8'));
    return parsed.kind === 'parsed' && flagOf(childOf(parsed.root, 'protect_hooks')) === false;
  } catch {
    return false;
  }
}
