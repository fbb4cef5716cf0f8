import { decisionIdOf, type Firings } from './decision-id.ts';
import { toKnown } from './known-record.ts';
import type { SessionEntry, StoredEntry } from './record.ts';

/** What `log --only` can be asked for. */
export const logKinds = ['agent', 'tools', 'hooks', 'people'] as const;
export type LogKind = (typeof logKinds)[number];

export interface LogWish {
  /** Undefined: everything. */
  kinds: readonly LogKind[] | undefined;
  /** The id of a task; undefined: of all, and of none. */
  task: string | undefined;
}

/** Says of each entry of a journal, in order, whether it is asked for. */
export function createLogFilter({ kinds, task }: LogWish): (entry: StoredEntry) => boolean {
  const kindOf = createKindOf();
  const taskOf = createTaskOf();
  return stored => {
    const entry = toKnown(stored);
    if (!entry) return kinds === undefined && task === undefined;
    const kind = kindOf(entry);
    const about = taskOf(entry);
    return (
      (kinds === undefined || (kind !== undefined && kinds.includes(kind))) && (task === undefined || about === task)
    );
  };
}

function createKindOf(): (entry: SessionEntry) => LogKind | undefined {
  const asked = new Set<string>();
  return entry => {
    switch (entry.kind) {
      case 'agent.tool':
      case 'file.changes':
        return 'tools';
      case 'agent.prompt':
      case 'agent.message':
      case 'agent.told':
      case 'agent.usage':
      case 'pending.taken':
        return 'agent';
      case 'hook.started':
      case 'hook.finished':
      case 'event.decided':
        return 'hooks';
      case 'event': {
        const { name } = entry.event;
        if (name === 'approval.requested') {
          if (entry.key !== undefined) asked.add(entry.key);
          return 'people';
        }
        return /^(tool|file|permission)\./.test(name) ? 'tools' : undefined;
      }
      case 'step.done':
        // The end of the work that waited for an answer.
        return asked.delete(entry.key) ? 'people' : undefined;
      default:
        return undefined;
    }
  };
}

/** An iteration is about one task; what names another, or belongs to an event that does, is about that one. */
function createTaskOf(): (entry: SessionEntry) => string | undefined {
  const firings: Firings = new Map();
  const tasks = new Map<number, string>();
  let current: string | undefined;
  return entry => {
    const id = decisionIdOf(firings, entry);
    if (entry.kind === 'event') {
      const { name, taskId } = entry.event;
      if (name === 'task.starting') current = taskId;
      if (name === 'iteration.starting' || name === 'stage.completed') current = undefined;
      if (taskId === undefined) return current;
      tasks.set(entry.seq, taskId);
      if (tasks.size > maxTasks) tasks.delete(tasks.keys().next().value!);
      return taskId;
    }
    if ('id' in entry && entry.kind.startsWith('task.')) return entry.id;
    return (id === undefined ? undefined : tasks.get(id)) ?? current;
  };
}

/** Hooks run soon after their event. */
const maxTasks = 1000;
