import type { Command } from '../command.ts';
import { breakpoint, mcp, score } from './agent-tools.ts';
import { approvals, approve, reject } from './approvals.ts';
import { check } from './check.ts';
import { demo } from './demo.ts';
import { dispatch } from './dispatch.ts';
import { doctor } from './doctor.ts';
import { hook } from './hook.ts';
import { install, uninstall } from './install.ts';
import { events, list } from './list.ts';
import { log } from './log.ts';
import { repair } from './repair.ts';
import { resume, run } from './run.ts';
import { runs } from './runs.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { task } from './task.ts';
import { trust } from './trust.ts';

/** In the order in which the help shows them: from the main job to what only programs use. */
export const commands: readonly Command[] = [
  ...[demo, run, resume, runs, show, log, repair],
  ...[task, approvals, approve, reject, score, breakpoint],
  ...[list, check, events, dispatch],
  ...[install, uninstall, doctor, trust, serve, hook, mcp],
];
