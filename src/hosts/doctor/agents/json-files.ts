import type { HostConfig, InstallPlaces, InstallScope } from '../../config.ts';
import type { Files } from '../headless.ts';
import { ownHooks } from '../own-hooks.ts';
import type { Finding } from '../report.ts';
import { type Fields, merged, picked, readSettings } from '../settings.ts';

export const scopes: readonly InstallScope[] = ['user', 'shared', 'project'];

/** The settings files of an agent for a stage: our entries and what decides about them, and nothing else of the user. */
export function stagedSettings(
  config: HostConfig,
  user: InstallPlaces,
  stage: InstallPlaces,
  /** Paths of values that are kept. */
  kept: readonly (readonly string[])[],
  /** Goes into the user's file. */
  base: Fields = {},
): Files {
  const files: Record<string, string> = {};
  for (const scope of scopes) {
    const settings = readSettings(config.file(scope, user));
    const hooks = ownHooks(settings, 'drop');
    const own = { ...picked(settings, kept), ...(Object.keys(hooks).length > 0 && { hooks }) };
    const staged = scope === 'user' ? merged(base, own) : own;
    if (Object.keys(staged).length > 0) files[config.file(scope, stage)] = `${JSON.stringify(staged, null, 2)}\n`;
  }
  return files;
}

/** Says of each settings file what is switched off in it. */
export const switchedOff = (
  config: HostConfig,
  user: InstallPlaces,
  isOff: (settings: Fields) => string | undefined,
): Finding[] =>
  [...new Set(scopes.map(scope => config.file(scope, user)))].flatMap(file => {
    const what = isOff(readSettings(file));
    return what === undefined
      ? []
      : [
          {
            severity: 'warning' as const,
            message: `${what} in ${file} switches hooks off`,
            fix: `remove ${what} from ${file}`,
          },
        ];
  });
