import { dialects } from '../dialects/index.ts';
import { pipelineFolders } from '../hooks/discovery/pipeline-files.ts';
import { pathOf } from '../hooks/discovery/places.ts';
import type { DialectName, Places, Scope } from '../model/index.ts';
import { columnWidths, row } from './print/table.ts';

/** Told to somebody who has no hooks yet: where they can be put. */
export function emptyText(places: Places): string {
  const rows = dialects.map(({ name }) => [shownPaths(name, 'project', places), purposes[name]]);
  const users = dialects.map(({ name }) => shownPaths(name, 'user', places)).filter(path => path !== '');
  const lines = [
    `No hooks apply in ${places.root}.`,
    '',
    'Hooks of this project can be put in:',
    ...rows.map(cells => `  ${row(cells, columnWidths(rows))}`),
    '',
    'Your own hooks, for all projects:',
    ...users.map(path => `  ${path}`),
    '',
    'For a start:',
    `  mkdir .sauna && echo '["npm test"]' > .sauna/hooks.json`,
    '',
    'hookloop events shows what hooks can be for.',
  ];
  return `${lines.join('\n')}\n`;
}

const purposes: Readonly<Record<DialectName, string>> = {
  native: 'everything: all events, all kinds of actions',
  sauna: 'gates: commands that must pass before a task is done',
  iteratr: 'commands around iterations; output goes to the agent',
  nyzhi: '[[agent.hooks]]: commands around tools and edits',
  babysitter: 'executable scripts, one folder for each type',
  claude: 'hooks as Claude Code has them',
  pipelines: 'hooks: in a pipeline or loop file',
};

function shownPaths(name: DialectName, scope: Scope, places: Places): string {
  const { locations } = dialects.find(dialect => dialect.name === name)!;
  const [first] = locations.filter(location => location.scope === scope && location.onlyIf === undefined);
  if (!first) return scope === 'project' ? `${pipelineFolders[2]}/, ${pipelineFolders[3]}/` : '';
  const path = scope === 'project' ? first.path : (pathOf(first, places) ?? first.path);
  const shown = path.startsWith(`${places.home}/`) ? `~${path.slice(places.home.length)}` : path;
  return first.holds === 'scripts' ? `${shown}/TYPE/*.sh` : shown;
}
