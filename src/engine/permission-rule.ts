import { resolve } from 'node:path';
import type { HookEvent, Places } from '../model/index.ts';
import { fieldsOf } from '../model/json.ts';
import { callFiles, callKinds, callNamesForClaude, shellTextsOf } from '../model/tool-call.ts';
import { wildcard } from '../model/wildcard.ts';
import { globPattern } from './pattern.ts';

/** Whether a call is one that a permission rule of Claude's is about: `Bash(git push *)`, `Edit(src/**)`, `mcp__db`, `WebFetch(domain:x.org)`. */
export type RuleMatches = (event: HookEvent) => boolean | Promise<boolean>;

/** What cannot be told before a command runs counts as a match: a gate must not be argued away. */
export function permissionRule(rule: string, places: Places): RuleMatches {
  const [, tool = '', content] = /^([^(]*)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  const isTool = toolMatches(tool.trim());
  const about = content === undefined || content.trim() === '' || content.trim() === '*' ? undefined : content.trim();
  const holds = about === undefined ? () => true : contentMatches(about, places);
  return event => isToolEvent(event) && callNamesForClaude(event).some(isTool) && holds(event);
}

const isToolEvent = ({ name }: HookEvent): boolean =>
  name === 'tool.calling' || name === 'tool.called' || name === 'tool.failed' || name.startsWith('permission.');

/** A server of MCP stands for all its tools. */
function toolMatches(tool: string): (name: string) => boolean {
  const matches = wildcard(tool);
  const isServer = /^mcp__(?:(?!__).)+$/.test(tool);
  return name => matches(name) || (isServer && name.startsWith(`${tool}__`));
}

function contentMatches(content: string, places: Places): RuleMatches {
  const ofFile = fileRule(content, places);
  const ofCommand = commandRule(content);
  return event => {
    const kinds = callKinds(event);
    if (kinds.has('shell')) return ofCommand(event);
    if (kinds.has('edit') || kinds.has('read')) return ofFile(event);
    const input = fieldsOf(event.input);
    const [, domain] = /^domain:(.+)$/.exec(content) ?? [];
    if (domain !== undefined) return isHost(input['url'], domain);
    const matches = wildcard(content);
    return Object.values(input).some(value => typeof value === 'string' && matches(value));
  };
}

function isHost(url: unknown, domain: string): boolean {
  if (typeof url !== 'string') return false;
  const text = /^[a-z]+:\/\//i.test(url) ? url : `https://${url}`;
  const host = URL.canParse(text) ? new URL(text).hostname : '';
  return wildcard(domain.trim().toLowerCase())(host);
}

/** As in .gitignore: a name alone stands for a file or folder anywhere. `//x` is absolute, `~/x` in the home. */
function fileRule(content: string, { root, cwd, home }: Places): RuleMatches {
  const [base, pattern] = content.startsWith('//')
    ? ['/', content.slice(2)]
    : content.startsWith('~/')
      ? [home, content.slice(2)]
      : [undefined, content.replace(/^\.?\//, '')];
  const isName = !pattern.replace(/\/$/, '').includes('/') && !/^\.?\//.test(content) && base === undefined;
  const plain = pattern.replace(/\/$/, '');
  const matchers = [plain, `${plain}/**`].map(each => globPattern(isName ? `**/${each}` : each));
  const anywhere = content.startsWith('*') ? wildcard(content) : () => false;
  return event =>
    callFiles(event).some(file => {
      const path = resolve(event.cwd ?? root, file);
      const bases = base === undefined ? [root, cwd, ...(event.cwd === undefined ? [] : [event.cwd])] : [base];
      const inside = bases.flatMap(folder => {
        const start = folder.endsWith('/') ? folder : `${folder}/`;
        return path.startsWith(start) ? [path.slice(start.length)] : [];
      });
      return anywhere(path) || inside.some(part => matchers.some(matches => matches(part)));
    });
}

/** Each command of the call by itself, also those in `$()` and behind `sudo` and the like. */
function commandRule(content: string): RuleMatches {
  const [, prefix] = /^(.*):\*$/s.exec(content) ?? [];
  const pattern = prefix === undefined ? content : `${prefix} *`;
  const matches = commandWildcard(pattern);
  const head = pattern.split('*', 1)[0]!.trimEnd();
  return async event => {
    const texts = shellTextsOf(event.input);
    if (texts.length === 0 || texts.some(text => matches(text.trim()))) return true;
    const { shellCommands } = await import('../shell/commands.ts');
    return texts.map(shellCommands).some(({ commands, loose, isOpen }) => {
      if (isOpen) return true;
      const isRun = (words: readonly (string | undefined)[]): boolean => {
        const open = words.indexOf(undefined);
        const known = words.slice(0, open === -1 ? undefined : open).join(' ');
        return open === -1 ? matches(known) : matches(known) || head.startsWith(known) || known.startsWith(head);
      };
      return commands.some(isRun) || loose.some(words => words.some((_, at) => isRun(words.slice(at))));
    });
  };
}

/** `git push *` is also `git push` alone. */
function commandWildcard(pattern: string): (text: string) => boolean {
  const matches = wildcard(pattern);
  const bare = pattern.endsWith(' *') ? wildcard(pattern.slice(0, -2)) : () => false;
  return text => matches(text) || bare(text);
}
