import { consequencesOf } from '../../app/list.ts';
import { type Action, type Decision, type HookDefinition, isPending, type McpToolAction } from '../../model/index.ts';

/** What a hook does, in one line. Addresses often are secrets: of a URL only scheme and host are told. */
export function actionWords({ action, name, source }: HookDefinition): string {
  switch (action.kind) {
    case 'shell':
      return action.command === source.file ? name : action.command;
    case 'webhook':
      return `${action.method} ${hostOf(action.url)}${action.approval ? ' and wait for an answer' : ''}`;
    case 'spawn':
      return `run pipeline ${action.pipeline}`;
    case 'function':
      return `call ${name}`;
    case 'mcp_tool':
      return `call ${action.tool} of ${action.server}${serverWords(action)}`;
    case 'ask':
      return `ask a person: ${action.question}`;
    case 'deny':
    case 'tell':
      return `${action.kind}: ${action.text}`;
    default:
      return `ask ${action.kind === 'prompt' || action.tools === false ? 'a model' : 'an agent'}: ${action.prompt}`;
  }
}

/** How the server is reached, where the project says it. */
function serverWords({ reached }: McpToolAction): string {
  if (reached?.via === 'stdio') return ` (${[reached.command, ...reached.args].join(' ')})`;
  return reached?.via === 'http' ? ` (${hostOf(reached.url)})` : '';
}

/** In quotes, the name that its author has given to a hook; empty where it is called by what it does. */
export function nameWords({ action, name, source }: HookDefinition): string {
  const own = name
    .replace(/^(?:(?:webhook|spawn) |(?:ask|deny|tell|judge|agent|prompt): )/, '')
    .replace(/ ?\.\.\.$/, '');
  const isScript = action.kind === 'shell' && action.command === source.file;
  return isScript || action.kind === 'function' || textOf(action).startsWith(own.trim()) ? '' : `"${name}"`;
}

function textOf(action: Exclude<Action, { kind: 'function' }>): string {
  switch (action.kind) {
    case 'shell':
      return action.command.trim();
    case 'webhook':
      return action.url.replace(/^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?/i, '');
    case 'spawn':
      return action.pipeline;
    case 'mcp_tool':
      return `${action.server} ${action.tool}`;
    case 'ask':
      return action.question.trim();
    case 'deny':
    case 'tell':
      return action.text.trim();
    default:
      return action.prompt.trim();
  }
}

/** `${NAME}` in the place of an address stays: it is a name, not a value. */
export function hostOf(url: string): string {
  const found = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#]*)/i.exec(url);
  return found ? `${found[1]}${found[2]}` : (/^\$\{\w+\}/.exec(url)?.[0] ?? '***');
}

/** What must hold before the hook runs. */
export function matchWords({ match, source }: HookDefinition): string[] {
  const { tool, command, files, agent, field, rule, when, role } = match;
  return [
    source.scope === 'stage' || source.scope === 'pipeline' ? `in its ${source.scope}` : '',
    role ? `${role} stages` : '',
    tool ? `tool ${tool.kind === 'names' ? tool.names.join(', ') : tool.matcher}` : '',
    command ? `command ${command.patterns.join(', ')}` : '',
    files ? `file ${files.join(', ')}` : '',
    agent ? `agent ${agent.join(', ')}` : '',
    field ? `${field.name} ${field.matcher}` : '',
    rule ? `if ${rule}` : '',
    when ? `when ${when}` : '',
  ].filter(word => word !== '');
}

export function timeoutWords(timeoutMs: number | null): string {
  if (timeoutMs === null) return 'none';
  if (timeoutMs % 1000 !== 0) return timeoutMs < 1000 ? `${timeoutMs}ms` : `${timeoutMs / 1000}s`;
  const seconds = timeoutMs / 1000;
  if (seconds >= 3600 && seconds % 60 === 0)
    return `${Math.floor(seconds / 3600)}h${seconds % 3600 === 0 ? '' : `${(seconds % 3600) / 60}m`}`;
  if (seconds < 60 || seconds % 60 !== 0) return `${seconds}s`;
  return `${seconds / 60}m`;
}

/** What its failure means for the session; a code that says more than failure is told apart. */
export function failureWords(hook: HookDefinition): string {
  if (!hook.wait) return 'not awaited';
  if (hook.shadow) return 'shadow: decides nothing';
  const { failed, refused, late = failed } = consequencesOf(hook);
  const words = (then: Decision['kind']): string => decisionWords(then, hook);
  const retries = (hook.retry?.attempts ?? 1) - 1;
  const again = hook.flaky === undefined ? '' : `runs up to ${hook.flaky + 1} times, then `;
  if (
    retries === 0 &&
    isPending(hook.event) &&
    [failed, refused?.decision ?? failed, late].every(then => then === 'proceed')
  )
    return 'does not gate';
  return [
    retries > 0
      ? `${retries} ${retries === 1 ? 'retry' : 'retries'}, then ${words(failed)}`
      : `${again}${words(failed)}`,
    refused === undefined || refused.decision === failed ? '' : `${refused.answer}: ${words(refused.decision)}`,
    late === failed ? '' : `timeout: ${words(late)}`,
  ]
    .filter(word => word !== '')
    .join('; ');
}

const decisionWords = (kind: Decision['kind'], { maxFixes }: HookDefinition): string =>
  ({
    proceed: 'go on',
    revise: `agent fixes it${maxFixes === undefined ? '' : `, ${maxFixes}x`}`,
    block: 'blocks',
    abort: 'session ends',
  })[kind];

export const feedbackWords = ({ feedback, wait }: HookDefinition): string =>
  wait ? { none: '', 'next-prompt': 'next prompt', now: 'at once' }[feedback] : '';
