import { parseJson } from '../../config/json.ts';
import { childOf, flagOf, itemsOf, type Located, type LocatedEntry } from '../../config/located.ts';
import { forbiddenKeys, read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import { flag, json, list, map, record, text } from '../../config/shape.ts';
import type { DialectConfig, HookDefinition, LeftOut, Match, Normalised, Places } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { isOwnCommand, isOwnUrl } from '../../model/own-entry.ts';
import { hookFrom, normaliseFiles, openFiles, type TextFile } from '../shared/text-file.ts';
import { lifeSubjects } from './agent-life.ts';
import { claudesOwnEvents, whyClaudesOwn } from './claudes-own.ts';
import { type Entry, entryShape, toHookParts, whyNever } from './entry.ts';
import { type HttpLimits, limitsOf, whyForbidden } from './http-limits.ts';
import { isMcpFile, type McpServers, mcpFile, readMcpServers } from './mcp-servers.ts';
import { events, isSpelling, type Spelling } from './wire.ts';
import { withoutHooks } from './without.ts';

const matcher = text('Names split by |, or a regular expression; empty or * for all');

/** A group and a file without the entries, which are read one by one so that a bad one leaves the others alone. */
const groupShape = record({ matcher, hooks: list(json()) }, { required: ['hooks'] });
const topShape = record(
  {
    hooks: map(json()),
    disableAllHooks: flag('No hook of this kind runs'),
    allowedHttpHookUrls: list(text(), 'Where http hooks may be sent; * stands for anything'),
    httpHookAllowedEnvVars: list(text(), 'Variables that headers of http hooks may hold'),
  },
  { open: true },
);

/** The part of a settings file that Hookloop reads, for its JSON Schema. */
export const fileShape = record(
  {
    description: text('What a plugin says about its hooks'),
    disableAllHooks: topShape.fields.disableAllHooks,
    allowedHttpHookUrls: topShape.fields.allowedHttpHookUrls,
    httpHookAllowedEnvVars: topShape.fields.httpHookAllowedEnvVars,
    hooks: map(list(record({ matcher, hooks: list(entryShape) }, { required: ['hooks'] })), 'Hooks by event'),
  },
  { open: true, doc: 'Hooks of .claude/settings.json, .claude/settings.local.json and a plugin’s hooks/hooks.json' },
);

export const config: DialectConfig = {
  name: 'claude',
  badFile: 'leave-out',
  locations: [
    { scope: 'project', base: 'root', path: '.claude/settings.json', holds: 'file' },
    { scope: 'project', base: 'root', path: '.claude/settings.local.json', holds: 'file' },
    { scope: 'user', base: 'home', path: '.claude/settings.json', holds: 'file' },
    { scope: 'plugin', base: 'plugin', path: 'hooks/hooks.json', holds: 'file' },
    { scope: 'plugin', base: 'root', path: 'plugins/babysitter/hooks/hooks.json', holds: 'file' },
    mcpFile,
  ],
  without: withoutHooks,
  normalise(found, places) {
    const files = openFiles(
      found.filter(file => !isMcpFile(file)),
      config,
      parseJson,
    );
    const around = { places, limits: limitsOf(files), servers: readMcpServers(found.filter(isMcpFile)) };
    const { hooks, problems } = normaliseFiles(files, (root, file) => hooksIn(root, file, around));
    const leftOut = files.flatMap(leftOutOf);
    return { hooks: withoutCopies(hooks), problems, ...disablesOf(files), ...(leftOut.length > 0 && { leftOut }) };
  },
};

/** What holds for the entries of all files. */
interface Around {
  places: Places;
  limits: HttpLimits;
  servers: McpServers;
}

function hooksIn(root: Located, file: TextFile, around: Around): HookDefinition[] {
  read(root, topShape, file.report);
  const groups = childOf(root, 'hooks');
  return (groups?.kind === 'map' ? groups.entries : []).flatMap(entry => readEvent(entry, file, around));
}

function readEvent({ key, keySpan, value }: LocatedEntry, file: TextFile, around: Around): HookDefinition[] {
  const { report } = file;
  if (claudesOwnEvents.has(key) || forbiddenKeys.has(key)) return [];
  if (!isSpelling(key)) {
    const known = [...Object.keys(events), ...claudesOwnEvents];
    report.warning(keySpan, `"${key}" is not an event of Claude Code, so its hooks never run`, didYouMean(key, known));
    return [];
  }
  read(value, list(json()), report);
  const entries = itemsOf(value).flatMap(node => {
    read(node, groupShape, report);
    const match = readMatch(childOf(node, 'matcher'), key, report);
    return itemsOf(childOf(node, 'hooks')).map(entry => ({ entry, match }));
  });
  return entries.flatMap(({ entry, match }, index) => readHook(entry, key, match, index, file, around));
}

/** Undefined where the matcher is wrong: a hook that wanted a few tools must not run on all. */
function readMatch(node: Located | undefined, spelling: Spelling, report: Report): Match | undefined {
  const match: Match = { notAgent: 'claude' };
  if (!node) return match;
  const matcher = read(node, groupShape.fields.matcher, report);
  if (matcher === undefined) return undefined;
  const subject = subjects[spelling];
  if (!subject || matcher === '' || matcher === '*') return match;
  // A list of names is one, too.
  if (!isRegExp(matcher)) {
    report.error(node.span, `"${matcher}" is not a regular expression`, 'write names split by |, or *');
    return undefined;
  }
  if (subject === 'files') return { ...match, files: matcher.split('|').flatMap(name => [name, `**/${name}`]) };
  return subject === 'tool'
    ? { ...match, tool: { kind: 'matcher', matcher } }
    : { ...match, field: { name: subject, matcher, ...(missing[subject] && { otherwise: missing[subject] }) } };
}

/** What a matcher looks at. Claude Code ignores matchers of other events without a word. */
const subjects: { readonly [S in Spelling]?: string } = {
  PreToolUse: 'tool',
  PermissionRequest: 'tool',
  PostToolUse: 'tool',
  PostToolUseFailure: 'tool',
  Setup: 'trigger',
  SessionStart: 'source',
  SessionEnd: 'reason',
  StopFailure: 'error',
  ...lifeSubjects,
};

/** What Claude Code sends where nothing special has happened. */
const missing: Readonly<Record<string, string>> = { source: 'startup', reason: 'other', trigger: 'init' };

function isRegExp(matcher: string): boolean {
  try {
    return new RegExp(matcher) instanceof RegExp;
  } catch {
    return false;
  }
}

function readHook(
  node: Located,
  spelling: Spelling,
  match: Match | undefined,
  index: number,
  file: TextFile,
  { places, limits, servers }: Around,
): HookDefinition[] {
  const { found, report } = file;
  const entry = read(node, entryShape, report);
  // What `install` wrote calls us: run from inside ourselves it would call us again.
  if (!entry || !match || isOwn(entry)) return [];
  const plugin = found.location.scope === 'plugin' ? found.path.replace(/\/hooks\/hooks\.json$/, '') : undefined;
  if (entry.if !== undefined && !isRule(entry.if)) {
    report.error(childOf(node, 'if')!.span, `"${entry.if}" is not a permission rule`, 'write one as Bash(git push *)');
    return [];
  }
  const never = whyNever(entry, spelling);
  const forbidden = whyForbidden(entry, limits);
  const why = never ?? forbidden;
  if (why) report.warning((childOf(node, why.key) ?? node).span, why.why);
  return [
    hookFrom(file, node, index, {
      event: events[spelling][0],
      spelling,
      match: entry.if === undefined ? match : { ...match, rule: entry.if.trim() },
      feedback: 'next-prompt',
      ...toHookParts(
        entry,
        spelling,
        { project: places.root, plugin: plugin ?? places.plugin },
        {
          limits,
          // Hooks that need no trust must not start what only trust covers.
          servers: found.location.scope === 'project' ? servers : new Map(),
        },
      ),
      ...(plugin !== undefined && { settings: { pluginRoot: plugin } }),
      ...(never && { disabled: never.why }),
      ...(forbidden && { unavailable: forbidden.why }),
    }),
  ];
}

/** A tool, and in brackets what of its calls. */
const isRule = (rule: string): boolean => /^[\w*-]+(?:\(.*\))?$/s.test(rule.trim());

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

/** Entries for events that nothing of ours is like. */
function leftOutOf({ root, found, report }: TextFile): LeftOut[] {
  const groups = root && childOf(root, 'hooks');
  return (groups?.kind === 'map' ? groups.entries : [])
    .filter(({ key }) => claudesOwnEvents.has(key))
    .flatMap(({ key, value }) =>
      itemsOf(value)
        .flatMap(node => itemsOf(childOf(node, 'hooks')))
        .map(({ span }) => ({
          event: key,
          why: whyClaudesOwn(key),
          file: found.file,
          line: report.position(span).line,
        })),
    );
}

/** The nearest file that says something counts: local, project, user. */
function disablesOf(files: readonly TextFile[]): Pick<Normalised, 'disables'> {
  const nearestFirst = ['.claude/settings.local.json', '.claude/settings.json'];
  const saysOf = ({ root }: TextFile): boolean | undefined => flagOf(childOf(root, 'disableAllHooks'));
  const speaking = files.filter(file => saysOf(file) !== undefined && file.found.location.scope !== 'plugin');
  const rank = ({ found: { location } }: TextFile) =>
    location.scope === 'user' ? nearestFirst.length : nearestFirst.indexOf(location.path);
  const [nearest] = speaking.toSorted((a, b) => rank(a) - rank(b));
  if (!nearest || !saysOf(nearest)) return {};
  const why = `disableAllHooks in ${nearest.found.file}`;
  return { disables: [{ dialects: ['claude'], scopes: ['project', 'user', 'plugin'], why }] };
}
