import { readAddress } from '../../app/serve-address.ts';
import { build } from '../../platform/build.ts';
import { stateFolder } from '../../platform/folders.ts';
import { dashboardLink } from '../../serve/dashboard/grants.ts';
import { openServe } from '../../serve/open-serve.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { isOfAgent, refuseAgents } from '../not-for-agents.ts';
import { watchSignals } from '../signals.ts';

export const serve: Command = {
  name: 'serve',
  summary: "Keep running, answer agents' hooks at once, and show your sessions in a browser",
  options: {
    port: {
      value: 'N',
      doc: 'use only this port on 127.0.0.1, and remember it (default: the one remembered, at first 8764, or any free one)',
    },
    link: { doc: 'print a link to the dashboard of the running serve; whoever opens it sees your sessions' },
    idle: { value: 'SECONDS', doc: 'end after so long without a request (default 1800, 0 = never)' },
  },
  example: 'hookloop serve --idle 3600',
  async run({ values, flags }, io) {
    if (flags.has('link')) return printLink(io, flags.has('json'));
    const port = values['port'] === undefined ? undefined : wholeNumber('--port', values['port'], 65_535);
    const idleMs = wholeNumber('--idle', values['idle'] ?? '1800', 2_000_000) * 1000;
    const interruption = watchSignals();
    const opened = await openServe({
      env: io.env,
      ...(port !== undefined && { port }),
      idleMs,
      program: process.argv[1]!,
    });
    if (opened.kind === 'failed') {
      io.err(`hookloop serve: ${opened.reason}\n`);
      return exit.failed;
    }
    if (opened.kind === 'busy') {
      const who = opened.pid === undefined ? '' : ` (process ${opened.pid})`;
      io.err(`hookloop serve: it is already running${opened.url === undefined ? '' : ` at ${opened.url}`}${who}\n`);
      sayLink(io);
      return exit.busy;
    }
    const { url, pid, socket } = opened.address;
    // The folder that it was started in may go.
    process.chdir('/');
    io.err(`hookloop serve: ${url}\n`);
    sayLink(io);
    if (flags.has('json')) io.out(`${JSON.stringify({ url, pid, socket })}\n`);
    interruption.signal.addEventListener('abort', opened.stop, { once: true });
    if (interruption.signal.aborted) opened.stop();
    const ending = await opened.ended;
    if (ending !== 'stopped') io.err(`hookloop serve: ${endings[ending]}\n`);
    return interruption.exitCode() ?? exit.done;
  },
};

function printLink(io: Io, asJson: boolean): number {
  refuseAgents('the dashboard', io);
  const link = linkNow(io);
  if (link === undefined) {
    io.err('hookloop serve: it is not running; hookloop serve starts it\n');
    return exit.failed;
  }
  io.out(asJson ? `${JSON.stringify({ link })}\n` : `${link}\n`);
  return exit.done;
}

/** The page leads to what only a person may answer. */
function sayLink(io: Io): void {
  const link = isOfAgent(io) ? undefined : linkNow(io);
  if (link !== undefined) io.err(`hookloop serve: dashboard ${link} (for 10 minutes; later: hookloop serve --link)\n`);
}

function linkNow({ env }: Io): string | undefined {
  const state = stateFolder(env);
  const address = state === undefined ? undefined : readAddress(state);
  return address && dashboardLink(address);
}

const endings = {
  idle: 'there were no calls for a while',
  replaced: `this is no longer the installed version (${build})`,
};

function wholeNumber(option: string, text: string, most: number): number {
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} takes a whole number up to ${most}, not ${text}`);
}
