import type { Command } from '../command.ts';
import { check } from './check.ts';
import { dispatch } from './dispatch.ts';
import { events } from './events.ts';
import { list } from './list.ts';

export const commands: readonly Command[] = [list, check, events, dispatch];
