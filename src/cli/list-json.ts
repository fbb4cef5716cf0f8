import { type Mask, maskDeep } from '../hooks/secrets/mask.ts';
import type { Action, HookDefinition } from '../model/index.ts';
import { waysOf } from './event-ways.ts';
import { whyNotRunnable } from './list-kinds.ts';
import { hostOf } from './list-words.ts';

/** One hook as `list --json` shows it. A contract with scripts: fields are added, never changed. */
export function toListed(hook: HookDefinition, mask: Mask): unknown {
  const { id, event, source, match, wait, timeoutMs, onFailure, feedback } = hook;
  const why = whyNotRunnable(hook);
  return maskDeep(
    {
      id,
      event,
      dialect: source.dialect,
      scope: source.scope,
      file: source.file,
      line: source.line,
      ...(hook.root !== undefined && { root: hook.root }),
      action: toListedAction(hook.action),
      match,
      wait,
      timeoutMs,
      onFailure,
      feedback,
      runnable: why === undefined,
      ...(why !== undefined && { why }),
      firesIn: waysOf(event),
    },
    mask,
  );
}

/** Headers, bodies and inputs are left out: they often hold what nobody should read in a log. */
function toListedAction(action: Action): Readonly<Record<string, unknown>> {
  switch (action.kind) {
    case 'shell':
      return { kind: 'shell', command: action.command, via: action.run.via, cwd: action.cwd };
    case 'webhook':
      return { kind: 'webhook', url: hostOf(action.url), method: action.method, approval: action.approval };
    case 'spawn':
      return { kind: 'spawn', pipeline: action.pipeline };
    default:
      return { kind: action.kind, prompt: action.prompt };
  }
}
