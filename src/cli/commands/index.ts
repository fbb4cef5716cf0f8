import type { Command } from '../command.ts';
import type { CommandGroup } from '../help.ts';
import { breakpoint, mcp, score } from './agent-tools.ts';
import { approvals, approve, reject } from './approvals.ts';
import { backtest } from './backtest.ts';
import { check } from './check.ts';
import { completionOf } from './completion.ts';
import { demo } from './demo.ts';
import { diff } from './diff.ts';
import { dispatch } from './dispatch.ts';
import { doctor } from './doctor.ts';
import { fork } from './fork.ts';
import { hook } from './hook.ts';
import { init } from './init.ts';
import { install, uninstall } from './install.ts';
import { events, list } from './list.ts';
import { log } from './log.ts';
import { migrate } from './migrate.ts';
import { repair } from './repair.ts';
import { report } from './report.ts';
import { resume, run } from './run.ts';
import { runs } from './runs.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { stop } from './stop.ts';
import { task } from './task.ts';
import { test } from './test.ts';
import { trust } from './trust.ts';
import { tryCommand } from './try.ts';
import { undo } from './undo.ts';
import { why } from './why.ts';

const completion = completionOf(() => commands);

/** What the help shows, in its order: from a first hour to what only programs use. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Start: set up hooks and try them',
    commands: [init, migrate, demo, check, list, tryCommand, test, backtest, events, dispatch, completion],
  },
  { title: 'Run: let an agent work', commands: [run, stop, resume, repair] },
  { title: 'Look: what ran and how it went', commands: [runs, show, log, why, report] },
  { title: 'Go back: compare, undo, fork', commands: [diff, undo, fork] },
  { title: 'People: answer questions', commands: [approvals, approve, reject] },
  {
    title: 'Agents: connect and serve them',
    commands: [install, uninstall, doctor, trust, serve, task, score, breakpoint, hook, mcp],
  },
];

export const commands: readonly Command[] = commandGroups.flatMap(group => group.commands);
