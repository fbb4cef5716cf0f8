import type { Task } from '../../model/record.ts';
import { isObject } from './request.ts';

/** What `ok` carries, for those requests whose answer somebody reads. */
export interface ControlValues {
  'task.add': Pick<Task, 'id'>;
  'task.list': readonly Task[];
  approval: { approved: boolean; message?: string; by?: string; at?: string };
}

export const readId = (value: unknown): string | undefined =>
  isObject(value) && typeof value['id'] === 'string' ? value['id'] : undefined;

export const readTasks = (value: unknown): readonly Task[] | undefined =>
  Array.isArray(value) && value.every(isTask) ? value : undefined;

export function readApproval(value: unknown): ControlValues['approval'] | undefined {
  if (!isObject(value) || typeof value['approved'] !== 'boolean') return undefined;
  const { approved, message, by, at } = value;
  return {
    approved,
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(typeof by === 'string' && { by }),
    ...(typeof at === 'string' && { at }),
  };
}

const isTask = (value: unknown): value is Task =>
  isObject(value) && ['id', 'content', 'status'].every(name => typeof value[name] === 'string');
