import { wires } from '../dialects/wires.ts';
import { type ActionOutcome, type Decision, decide, type HookDefinition, isPending } from '../model/index.ts';

/** What a hook does, in one line. Addresses often are secrets: of a URL only scheme and host are told. */
export function actionWords({ action, name, source }: HookDefinition): string {
  switch (action.kind) {
    case 'shell':
      return action.command === source.file ? name : action.command;
    case 'webhook':
      return `${action.method} ${hostOf(action.url)}${action.approval ? ' and wait for an answer' : ''}`;
    case 'spawn':
      return `run pipeline ${action.pipeline}`;
    default:
      return `ask ${action.kind === 'agent' ? 'an agent' : 'a model'}: ${action.prompt}`;
  }
}

/** `${NAME}` in the place of an address stays: it is a name, not a value. */
export function hostOf(url: string): string {
  const found = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#]*)/i.exec(url);
  return found ? `${found[1]}${found[2]}` : (/^\$\{\w+\}/.exec(url)?.[0] ?? '***');
}

/** What must hold before the hook runs. */
export function matchWords({ match, source }: HookDefinition): string[] {
  const { tool, files, field, when, role } = match;
  return [
    source.scope === 'stage' || source.scope === 'pipeline' ? `in its ${source.scope}` : '',
    role ? `${role} stages` : '',
    tool ? `tool ${tool.kind === 'names' ? tool.names.join(', ') : tool.matcher}` : '',
    files ? `file ${files.join(', ')}` : '',
    field ? `${field.name} ${field.matcher}` : '',
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
  const failed = meaningOf(hook, exited(1));
  const [answer, no] = refusalOf(hook);
  const refused = no ? meaningOf(hook, no) : failed;
  const late = hook.timeoutMs === null ? failed : meaningOf(hook, { ...exited(1), kind: 'timed-out', afterMs: 1 });
  const retries = (hook.retry?.attempts ?? 1) - 1;
  if (retries === 0 && isPending(hook.event) && [failed, refused, late].every(meaning => meaning === goesOn))
    return 'does not gate';
  return [
    retries > 0 ? `${retries} ${retries === 1 ? 'retry' : 'retries'}, then ${failed}` : failed,
    refused === failed ? '' : `${answer}: ${refused}`,
    late === failed ? '' : `timeout: ${late}`,
  ]
    .filter(word => word !== '')
    .join('; ');
}

export const feedbackWords = ({ feedback, wait }: HookDefinition): string =>
  wait ? { none: '', 'next-prompt': 'next prompt', now: 'at once' }[feedback] : '';

/** How an action of this kind says no, as opposed to breaking. */
function refusalOf({ action }: HookDefinition): [answer: string, outcome: ActionOutcome | undefined] {
  if (action.kind === 'shell') return ['exit 2', exited(2)];
  return action.kind === 'prompt' || action.kind === 'agent'
    ? ['no', { kind: 'judged', ok: false, reason: 'no' }]
    : ['', undefined];
}

const exited = (exitCode: number) => ({ kind: 'exited', exitCode, stdout: '', stderr: '' }) as const;

/** Asks the hook's own dialect, so that nothing here has to know its rules. */
function meaningOf(hook: HookDefinition, outcome: ActionOutcome): string {
  const wire = wires.find(({ name }) => name === hook.source.dialect)!;
  const { verdict } = wire.interpret(outcome, hook, { name: hook.event });
  return decisionWords(decide(verdict, outcome, hook), hook);
}

const goesOn = 'go on';

const decisionWords = ({ kind }: Decision, { maxFixes }: HookDefinition): string =>
  ({
    proceed: goesOn,
    revise: `agent fixes it${maxFixes === undefined ? '' : `, ${maxFixes}x`}`,
    block: 'blocks',
    abort: 'session ends',
  })[kind];
