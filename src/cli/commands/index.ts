import type { Command } from '../command.ts';
import { check } from './check.ts';
import { demo } from './demo.ts';
import { dispatch } from './dispatch.ts';
import { events } from './events.ts';
import { list } from './list.ts';
import { mcp } from './mcp.ts';
import { resume } from './resume.ts';
import { run } from './run.ts';
import { task } from './task.ts';

export const commands: readonly Command[] = [demo, run, resume, task, list, check, events, dispatch, mcp];
