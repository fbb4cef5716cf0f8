import { fileProblem } from '../../config/report.ts';
import type {
  DialectConfig,
  EventName,
  Found,
  HookDefinition,
  Invocation,
  Problem,
  Script,
} from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { events } from './wire.ts';

export const config: DialectConfig = {
  name: 'babysitter',
  badFile: 'refuse',
  locations: [
    { scope: 'project', base: 'repo', path: '.a5c/hooks', holds: 'scripts' },
    { scope: 'user', base: 'config', path: 'babysitter/hooks', holds: 'scripts' },
    { scope: 'plugin', base: 'plugin', path: 'hooks', holds: 'scripts' },
    { scope: 'plugin', base: 'root', path: 'plugins/babysitter/hooks', holds: 'scripts' },
  ],
  normalise(found) {
    const folders = found.filter(folder => folder.kind === 'scripts');
    return {
      hooks: folders.flatMap(folder => folder.scripts.flatMap(script => toHooks(script, folder))),
      problems: folders.flatMap(folder => [
        ...folder.types.flatMap(type => typeProblem(type, folder)),
        ...folder.scripts.flatMap(scriptProblem),
      ]),
    };
  },
};

type Folder = Extract<Found, { kind: 'scripts' }>;

const labels = { project: 'per-repo', user: 'per-user' } as const;

const eventsOf = (type: string): readonly EventName[] => (Object.hasOwn(events, type) ? events[type]! : []);

function toHooks(script: Script, { location, path, file }: Folder): HookDefinition[] {
  const why = whyUnavailable(script);
  return eventsOf(script.type).map((event, index) => ({
    id: `babysitter:${script.file}#${script.type}[${index}]`,
    event,
    spelling: script.type,
    name: script.name,
    place: { label: labels[location.scope as 'user'] ?? 'plugin', from: `${file}/${script.type}` },
    match: {},
    action: { kind: 'shell', command: script.file, run: invocationOf(script), cwd: 'caller' },
    wait: true,
    timeoutMs: 30_000,
    onFailure: 'continue',
    onTimeout: 'continue',
    // Only what an answer marks as text for the agent; most answers have none.
    feedback: 'next-prompt',
    source: { dialect: 'babysitter', scope: location.scope, file: script.file, line: 1 },
    ...(location.scope === 'plugin' && { settings: { pluginRoot: path.replace(/\/hooks$/, '') } }),
    ...(why !== undefined && { unavailable: why }),
  }));
}

/** The original's scripts are bash: so is one that does not say what it is, which the system would hand to sh. */
const invocationOf = ({ path, isBare }: Script): Invocation =>
  isBare ? { via: 'exec', file: 'bash', args: [path] } : { via: 'exec', file: path, args: [] };

function whyUnavailable({ broken, executable, file }: Script): string | undefined {
  if (broken !== undefined) return broken;
  return executable ? undefined : `not executable: ${chmod(file)}`;
}

/** Shown to people, who paste it into a shell. */
const chmod = (file: string): string =>
  `chmod +x ${/^[\w./@%+=:,-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`}`;

/** No one knows what a plugin keeps beside its hooks, so only near misses are told there. */
function typeProblem(type: string, { location, file }: Folder): Problem[] {
  if (eventsOf(type).length > 0 || type.startsWith('.')) return [];
  const hint = didYouMean(type, Object.keys(events));
  if (hint === undefined && location.scope === 'plugin') return [];
  return [
    warning(
      `${file}/${type}`,
      `${type} never fires: it is not a hook type`,
      hint ?? `known types: ${Object.keys(events).join(', ')}`,
    ),
  ];
}

function scriptProblem(script: Script): Problem[] {
  if (eventsOf(script.type).length === 0) return [];
  if (script.broken !== undefined) return [warning(script.file, `${script.name} does not run: ${script.broken}`)];
  if (script.executable) return [];
  return [warning(script.file, `${script.name} does not run: it is not executable`, chmod(script.file))];
}

const warning = (file: string, message: string, hint?: string): Problem => ({
  ...fileProblem(file, message, false, hint),
  severity: 'warning',
});
