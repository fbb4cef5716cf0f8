import type { HookDefinition, Places } from '../../model/index.ts';
import { constantOf, emptyVariables } from './same-input.ts';

/** A hook's command as a native file has it: what its own placeholders became, in the names of native variables. */
export function commandOf(hook: HookDefinition, texts: readonly string[], places: Places): string {
  const { action } = hook;
  if (action.kind !== 'shell') return '';
  const { run, command } = action;
  if (run.via === 'exec') return [...assignments(hook, texts, places), ...programWords(run, places)].join(' ');
  if (!run.script.includes('${HOOK_') || run.script === command) return command;
  const empty = emptyVariables(hook, places);
  return run.script.replaceAll(reference, (_, name: string) => (empty.has(`HOOK_${name}`) ? '' : `\${${name}}`));
}

const reference = /\$\{HOOK_(SESSION|ITERATION|TASK_ID|TASK_CONTENT|ERROR|FILE)\}/g;

/** Variables that only this hook's format sets, where its script asks for them. */
const assignments = (hook: HookDefinition, texts: readonly string[], places: Places): string[] =>
  ['HOOK_TYPE'].flatMap(name => {
    const value = texts.some(text => text.includes(name)) ? constantOf(name, hook, places) : undefined;
    return value === undefined ? [] : [`${name}=${value}`];
  });

/** The words of a program that runs without a shell; folders of this machine do not belong into a file that is shared. */
function programWords({ file, args }: { file: string; args: readonly string[] }, { root, home }: Places): string[] {
  const wordOf = (text: string, at: number): string => {
    if (at === 0 && text.startsWith(`${root}/`)) return quoted(text.slice(root.length + 1));
    const isBashScript = at === 1 && file === 'bash' && args.length === 1;
    if (isBashScript && text.startsWith(`${root}/`)) return quoted(text.slice(root.length + 1));
    for (const [folder, name] of [
      [root, 'CLAUDE_PROJECT_DIR'],
      [home, 'HOME'],
    ] as const)
      if (folder !== '/' && text.includes(folder))
        return text
          .split(folder)
          .map(part => (part === '' ? '' : quoted(part)))
          .join(`"$${name}"`);
    return quoted(text);
  };
  return [file, ...args].map(wordOf);
}

const quoted = (text: string): string => (/^[\w./=:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
