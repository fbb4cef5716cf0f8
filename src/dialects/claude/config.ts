import { parseJson } from '../../config/json.ts';
import { childOf, itemsOf, type Located, type LocatedEntry } from '../../config/located.ts';
import { didYouMean } from '../../config/nearest.ts';
import { forbiddenKeys, read } from '../../config/read.ts';
import { createReport, type Report } from '../../config/report.ts';
import { json, list } from '../../config/shape.ts';
import type { DialectConfig, Found, HookDefinition, Match, Normalised, Places, Problem } from '../../model/index.ts';
import { isOwnCommand, isOwnUrl } from '../../model/own-entry.ts';
import { hookFromFile } from '../shared/hook.ts';
import { type Entry, readEntry, toHookParts, whyUnavailable } from './entry.ts';
import { events, isSpelling, otherEvents, type Spelling } from './events.ts';
import { readMatch } from './match.ts';
import { groupShape, topShape } from './shape.ts';

export { fileShape } from './shape.ts';

export const config: DialectConfig = {
  name: 'claude',
  badFile: 'leave-out',
  locations: [
    { scope: 'project', base: 'root', path: '.claude/settings.json', holds: 'file' },
    { scope: 'project', base: 'root', path: '.claude/settings.local.json', holds: 'file' },
    { scope: 'user', base: 'home', path: '.claude/settings.json', holds: 'file' },
    { scope: 'plugin', base: 'plugin', path: 'hooks/hooks.json', holds: 'file' },
    { scope: 'plugin', base: 'root', path: 'plugins/babysitter/hooks/hooks.json', holds: 'file' },
  ],
  normalise(found, places) {
    const files = found.filter(file => file.kind === 'text').map(file => readFile(file, places));
    return {
      hooks: withoutCopies(files.flatMap(file => file.hooks)),
      problems: files.flatMap(file => file.problems),
      ...disablesOf(files),
    };
  },
};

type FoundText = Extract<Found, { kind: 'text' }>;

interface ReadFile {
  found: FoundText;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  disableAll?: boolean;
}

function readFile(found: FoundText, places: Places): ReadFile {
  const report = createReport(found.file, found.text, false);
  const parsed = parseJson(found.text);
  for (const flaw of parsed.flaws) report.flaw(flaw, parsed.kind === 'parsed' ? 'warning' : 'error');
  if (parsed.kind === 'broken' || !parsed.root) return { found, hooks: [], problems: report.problems };
  read(parsed.root, topShape, report);
  const [groups, disabling] = [childOf(parsed.root, 'hooks'), childOf(parsed.root, 'disableAllHooks')];
  const hooks = (groups?.kind === 'map' ? groups.entries : []).flatMap(entry =>
    readEvent(entry, found, places, report),
  );
  const disableAll = disabling && read(disabling, topShape.fields.disableAllHooks, report);
  return { found, hooks, problems: report.problems, ...(disableAll !== undefined && { disableAll }) };
}

function readEvent({ key, keySpan, value }: LocatedEntry, found: FoundText, places: Places, report: Report) {
  if (otherEvents.has(key) || forbiddenKeys.has(key)) return [];
  if (!isSpelling(key)) {
    const known = [...Object.keys(events), ...otherEvents];
    report.warning(keySpan, `"${key}" is no event of Claude Code, so its hooks never run`, didYouMean(key, known));
    return [];
  }
  read(value, list(json()), report);
  const entries = itemsOf(value).flatMap(node => {
    read(node, groupShape, report);
    const match = readMatch(childOf(node, 'matcher'), key, report);
    return itemsOf(childOf(node, 'hooks')).map(entry => ({ entry, match }));
  });
  return entries.flatMap(({ entry, match }, index) => readHook(entry, key, match, index, found, places, report));
}

function readHook(
  node: Located,
  spelling: Spelling,
  match: Match | undefined,
  index: number,
  found: FoundText,
  places: Places,
  report: Report,
): HookDefinition[] {
  const entry = readEntry(node, report);
  // What `install` wrote calls us: run from inside ourselves it would call us again.
  if (!entry || !match || isOwn(entry)) return [];
  const plugin = found.location.scope === 'plugin' ? found.path.replace(/\/hooks\/hooks\.json$/, '') : undefined;
  const unavailable = whyUnavailable(entry);
  if (unavailable) report.warning((childOf(node, unavailable.key) ?? node).span, unavailable.why);
  return [
    hookFromFile('claude', found, report, node.span, index, {
      event: events[spelling][0],
      spelling,
      match,
      feedback: 'next-prompt',
      ...toHookParts(entry, spelling, { project: places.root, plugin: plugin ?? places.plugin }),
      ...(plugin !== undefined && { settings: { pluginRoot: plugin } }),
      ...(unavailable && { unavailable: unavailable.why }),
    }),
  ];
}

const isOwn = (entry: Entry): boolean =>
  entry.type === 'command' ? isOwnCommand(entry.command) : entry.type === 'http' && isOwnUrl(entry.url);

/** The same entry in several settings files runs once; a plugin's copy is the plugin's own. */
function withoutCopies(hooks: readonly HookDefinition[]): HookDefinition[] {
  const seen = new Set<string>();
  return hooks.filter(hook => {
    if (hook.source.scope === 'plugin' || !hook.wait) return true;
    const { id, place, source, ...same } = hook;
    const key = JSON.stringify(same);
    return !seen.has(key) && seen.add(key);
  });
}

/** The nearest file that says something counts: local, project, user. */
function disablesOf(files: readonly ReadFile[]): Pick<Normalised, 'disables'> {
  const nearestFirst = ['.claude/settings.local.json', '.claude/settings.json'];
  const speaking = files.filter(file => file.disableAll !== undefined && file.found.location.scope !== 'plugin');
  const rank = ({ found: { location } }: ReadFile) =>
    location.scope === 'user' ? nearestFirst.length : nearestFirst.indexOf(location.path);
  const [nearest] = speaking.toSorted((a, b) => rank(a) - rank(b));
  if (!nearest?.disableAll) return {};
  const why = `disableAllHooks in ${nearest.found.file}`;
  return { disables: [{ dialects: ['claude'], scopes: ['project', 'user', 'plugin'], why }] };
}
