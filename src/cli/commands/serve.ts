import { build } from '../../build.ts';
import type { Plan, PlanRequest } from '../../plan/plan.ts';
import { openServe } from '../../serve/open.ts';
import { createPlans } from '../../serve/plans.ts';
import type { AnswerCall } from '../../serve/ports.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { type Io, isWorldError } from '../io.ts';
import { runCommand } from '../main.ts';
import { type Interruption, watchSignals } from '../signals.ts';
import { dispatch } from './dispatch.ts';
import { hook } from './hook.ts';

export const serve: Command = {
  name: 'serve',
  summary: "Stay and answer agents' hooks at once, over HTTP and for the launcher that install writes",
  arguments: [],
  options: {
    port: { value: 'N', doc: 'port on 127.0.0.1; without it the one of the last time, or any' },
    idle: { value: 'SECONDS', doc: 'end when nothing was asked for so long (default 1800, 0 = never)' },
  },
  example: 'hookloop serve --idle 3600',
  async run({ values, flags }, io) {
    const port = values['port'] === undefined ? undefined : wholeNumber('--port', values['port'], 65_535);
    const idleMs = wholeNumber('--idle', values['idle'] ?? '1800', 2_000_000) * 1000;
    const interruption = watchSignals();
    const opened = await openServe({
      env: io.env,
      ...(port !== undefined && { port }),
      idleMs,
      program: process.argv[1]!,
      answer: createAnswer(),
    });
    if (opened.kind === 'failed') {
      io.err(`hookloop serve: ${opened.reason}\n`);
      return exit.failed;
    }
    if (opened.kind === 'busy') {
      const who = opened.pid === undefined ? '' : ` (process ${opened.pid})`;
      io.err(`hookloop serve: it runs already${opened.url === undefined ? '' : ` at ${opened.url}`}${who}\n`);
      return exit.busy;
    }
    const { url, pid, socket } = opened.address;
    // The folder that it was started in may go.
    process.chdir('/');
    io.err(`hookloop serve: ${url}\n`);
    if (flags.has('json')) io.out(`${JSON.stringify({ url, pid, socket })}\n`);
    interruption.signal.addEventListener('abort', opened.stop, { once: true });
    if (interruption.signal.aborted) opened.stop();
    const ending = await opened.ended;
    if (ending !== 'stopped') io.err(`hookloop serve: ${endings[ending]}\n`);
    return interruption.exitCode() ?? exit.done;
  },
};

const endings = {
  idle: 'nothing was asked for a while',
  replaced: `this is no longer the installed version (${build})`,
};

function wholeNumber(option: string, text: string, most: number): number {
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} takes a whole number up to ${most}, not ${text}`);
}

/** What serve knows better than the commands would find out: compiled plans, and whether anybody still waits. */
type ServedIo = Io & { plan(request: PlanRequest): Promise<Plan>; interruption: Interruption };

/** The commands themselves, in a world that is the caller's: so the answer is the same as without serve. */
function createAnswer(): AnswerCall {
  const plans = createPlans();
  const commands = [hook, dispatch];
  return async ({ words: [name, ...rest], input, cwd, env, signal }) => {
    let [stdout, stderr] = ['', ''];
    const io: ServedIo = {
      cwd,
      env,
      out: text => {
        stdout += text;
      },
      err: text => {
        stderr += text;
      },
      input: () => input,
      terminal: () => ({ color: false, columns: undefined }),
      plan: plans,
      interruption: { signal, exitCode: () => (signal.aborted ? exit.failed : undefined) },
    };
    try {
      const exitCode = await runCommand(commands.find(command => command.name === name)!, rest, io);
      return { stdout, stderr, exitCode };
    } catch (error) {
      const isBug = !isWorldError(error);
      const text = isBug ? `this is a bug: ${error instanceof Error ? error.stack : String(error)}` : error.message;
      return { stdout, stderr: `${stderr}hookloop: ${text}\n`, exitCode: isBug ? 70 : exit.failed };
    }
  };
}
