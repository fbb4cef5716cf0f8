import { namedScripts } from '../../hooks/trust/named-files.ts';
import {
  coversEvent,
  type EventFields,
  fieldRules,
  type HookDefinition,
  type HookEvent,
  type Places,
  type Presentation,
} from '../../model/index.ts';
import { isObject, jsonOf } from '../../model/json.ts';
import { beginningOf } from '../../platform/files.ts';
import { wireOf } from './same-decisions.ts';

/** All that a hook's author has written, as far as it can be read: the command or question, and scripts that it names. */
export function textsOf(hook: HookDefinition, places: Places): readonly string[] {
  const { action } = hook;
  if (action.kind !== 'shell') return 'prompt' in action ? [action.prompt] : [];
  return [commandIn(hook), ...namedScripts([hook], places).map(path => beginningOf(path, maxScriptBytes))];
}

function commandIn({ action }: HookDefinition): string {
  if (action.kind !== 'shell') return '';
  return action.run.via === 'exec' ? [action.run.file, ...action.run.args].join(' ') : action.run.script;
}

const maxScriptBytes = 256 * 1024;

/** Why a script would not find what it looks for once its hook is a native one; undefined where it would. */
export function whyBlind(
  old: HookDefinition,
  now: HookDefinition,
  texts: readonly string[],
  places: Places,
): string | undefined {
  const [, ...scripts] = texts;
  const written = commandIn(now);
  const isSet = (name: string): boolean => written.startsWith(`${name}=`);
  if (old.action.kind !== 'shell') return whyFilled(old, now, texts, places);
  for (const event of samplesOf(old.event)) {
    const [before, after] = [presented(old, event, places), presented(now, event, places)];
    const variable = differing(before.env, after.env).find(name => !isSet(name) && isUsed(name, [written, ...scripts]));
    if (variable !== undefined) return `it uses ${variable}, which a native hook does not have like this`;
    const field = differing(fieldsIn(before.stdin), fieldsIn(after.stdin)).find(name => isRead(name, texts));
    if (field !== undefined) return `it reads "${field}" from stdin, which a native hook is not told like this`;
  }
  return whyFilled(old, now, texts, places);
}

/** Variables that are empty whatever the event carries. */
export function emptyVariables(hook: HookDefinition, places: Places): ReadonlySet<string> {
  const all = samplesOf(hook.event).map(event => presented(hook, event, places).env);
  return new Set(Object.keys(all[0]!).filter(name => all.every(env => env[name] === '')));
}

/** What a variable of this hook always holds; undefined where the event says it. */
export function constantOf(name: string, hook: HookDefinition, places: Places): string | undefined {
  const [first, ...more] = samplesOf(hook.event).map(event => presented(hook, event, places).env[name]);
  return first !== undefined && /^[\w.-]+$/.test(first) && more.every(value => value === first) ? first : undefined;
}

/** A name that native hooks give a meaning to, and this one's author did not. */
function whyFilled(
  old: HookDefinition,
  now: HookDefinition,
  [own = '']: readonly string[],
  places: Places,
): string | undefined {
  const [event] = samplesOf(old.event);
  const [before, after] = [presented(old, event!, places), presented(now, event!, places)];
  const added = Object.keys(after.env).filter(
    name => !Object.hasOwn(before.env, name) && name !== 'CLAUDE_PROJECT_DIR',
  );
  const taken = added.find(name => new RegExp(`\\$\\{?${name}\\b`).test(own) && !new RegExp(`\\b${name}=`).test(own));
  return taken && `$${taken} in it would be the one that native hooks have`;
}

const presented = (hook: HookDefinition, event: HookEvent, places: Places): Presentation =>
  wireOf(hook).present(event, hook, {
    places,
    carried: { lastHookStatus: 'success', hookResponse: '{}', spawnOutput: 'x', callbackUrl: 'x' },
    env: { HOOKLOOP_SESSION_DIR: '/s', CLAUDE_SESSION_ID: 'c', CLAUDE_PLUGIN_ROOT: '', CLAUDE_ENV_FILE: '' },
  });

/** Names whose value is another one, or gone. A value that is JSON is compared field by field. */
function differing(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(before).flatMap(name => {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const [inOld, inNow] = [old, now].map(value => (typeof value === 'string' ? jsonOf(value) : value));
    return isObject(inOld) && isObject(inNow) ? differing(inOld, inNow) : [name];
  });
}

const fieldsIn = (stdin: string | undefined): Readonly<Record<string, unknown>> => {
  const value = stdin === undefined ? undefined : jsonOf(stdin);
  return isObject(value) ? value : {};
};

const isUsed = (name: string, texts: readonly string[]): boolean =>
  texts.some(text => new RegExp(`(?<![\\w.-])${name}\\b`).test(text));

/** As programs name a field: `.tool_args`, `"tool_args"`, `['tool_args']`. */
const isRead = (name: string, texts: readonly string[]): boolean =>
  texts.some(text => new RegExp(`[."'\`]${name.replaceAll(/\W/g, '\\$&')}(?![\\w-])`).test(text));

/** An event with all it can carry, as two agents tell of it. */
const samplesOf = (name: HookEvent['name']): readonly HookEvent[] =>
  ['a', 'b'].map(tag => {
    const fields = Object.entries(fieldRules).flatMap(([field, { type, in: where }]) =>
      coversEvent(where, name) ? [[field, sampleOf(type, `${field}-${tag}`, tag)]] : [],
    );
    const tool = tag === 'a' ? { tool: 'Bash' } : { tool: 'run_shell_command' };
    const called = coversEvent(fieldRules.tool.in, name) ? { ...tool, input: { command: `ls ${tag}` } } : {};
    return { ...(Object.fromEntries(fields) as EventFields), ...called, name };
  });

function sampleOf(type: string, text: string, tag: string): unknown {
  if (type === 'text') return text;
  if (type === 'lines') return [text];
  if (type === 'flag') return tag === 'a';
  return type === 'json' ? { text } : tag === 'a' ? 3 : 4;
}
