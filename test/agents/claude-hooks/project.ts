import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookFile, Pack } from './hook-file.ts';

/** Where the placeholders of a pack lead. */
export interface Filling {
  project: string;
  home: string;
  url: string;
}

export const fill = (text: string, { project, home, url }: Filling): string =>
  text.replaceAll('{{PROJ}}', project).replaceAll('{{HOME}}', home).replaceAll('{{URL}}', url);

export const unfill = (text: string, { project, home, url }: Filling): string =>
  text.replaceAll(project, '{{PROJ}}').replaceAll(home, '{{HOME}}').replaceAll(url, '{{URL}}');

/** Writes the files of a pack into a project, their settings as one file. */
export function writePack({ files }: Pack, filling: Filling): void {
  const put = (path: string, text: string): void => {
    const file = join(filling.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, fill(text, filling), { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  };
  put('.claude/settings.json', JSON.stringify(settingsOf(files), null, 2));
  put('CLAUDE.md', 'A project.\n');
  for (const file of files) for (const [path, text] of Object.entries(file.files ?? {})) put(path, text);
}

function settingsOf(files: readonly HookFile[]): object {
  const hooks: Record<string, unknown[]> = {};
  for (const file of files)
    for (const [event, groups] of Object.entries(file.hooks)) hooks[event] = [...(hooks[event] ?? []), ...groups];
  return { ...Object.assign({}, ...files.map(({ settings }) => settings ?? {})), hooks };
}
