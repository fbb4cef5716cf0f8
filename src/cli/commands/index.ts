import type { Command } from '../command.ts';
import { check } from './check.ts';
import { dispatch } from './dispatch.ts';
import { events } from './events.ts';
import { list } from './list.ts';
import { resume } from './resume.ts';
import { run } from './run.ts';

export const commands: readonly Command[] = [run, resume, list, check, events, dispatch];
