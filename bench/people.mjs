import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';
import { peakOf } from './memory.mjs';
import { freePort, openReceiver } from './people-receiver.mjs';
import { writeProject } from './projects.mjs';

const agent = fileURLToPath(new URL('./people-agent.mjs', import.meta.url));

/**
 * What many webhooks and questions at once do to one session. Returns rows `{ name, lost, peakMb, hookMs, ratio }`: how
 * many of them did not get through, the most memory of the process (undefined without /proc), what a shell hook takes
 * before and after, and while all of them are open as a multiple of that.
 */
export async function measurePeople({ folder, program, quick }) {
  const [webhooks, approvals, hooks] = quick ? [100, 20, 10] : [1000, 200, 100];
  const load = (name, count, isAsked) =>
    measureLoad({ folder: join(folder, name), name: `${count} ${name}`, program, count, hooks, isAsked });
  return [await load('webhooks on their way', webhooks, false), await load('open approvals', approvals, true)];
}

async function measureLoad({ folder, name, program, count, hooks, isAsked }) {
  const receiver = await openReceiver({ isAsked });
  const { project, home } = writeProject(folder, {
    'hookloop.yaml': hooksFor(receiver.port, isAsked ? await freePort() : undefined),
  });
  const session = startSession({ project, home, program, count, hooks, name });
  try {
    await session.until(() => (isAsked ? receiver.ids.size : countOf(project, 'hook.started')) === count);
    writeFileSync(join(project, 'loaded'), '');
    await session.until(() => existsSync(join(project, 'measured')));
    await receiver.letGo();
    await session.until(() => countOf(project, 'hook.finished') === count);
    writeFileSync(join(project, 'released'), '');
    await session.ended;
  } finally {
    session.kill();
    receiver.close();
  }
  const { before, during, after } = JSON.parse(readFileSync(join(project, 'times.json'), 'utf8'));
  const hookMs = median([...before, ...after]);
  const through = Math.min(receiver.ids.size, outcomesOf(project).filter(isAsked ? isApproved : isTaken).length);
  return { name, lost: count - through, peakMb: session.peakMb(), hookMs, ratio: median(during) / hookMs };
}

const isTaken = ({ kind, status }) => kind === 'replied' && status === 200;
const isApproved = ({ kind, action }) => kind === 'answered' && action === 'approve';

const hooksFor = (port, callbackPort) =>
  JSON.stringify({
    hooks: {
      'score.recorded': [
        {
          ...{ type: 'webhook', url: `http://127.0.0.1:${port}/` },
          ...(callbackPort === undefined
            ? { body: { text: '${SCORE}' }, await: false }
            : { body: { answer: '${CALLBACK_URL}' }, await: true, callback_port: callbackPort }),
        },
      ],
      'task.starting': [{ type: 'shell', command: 'true', await: true }],
    },
  });

const limitMs = 120_000;

function startSession({ project, home, program, count, hooks, name }) {
  const command = [process.execPath, agent, program].map(word => `"${word}"`).join(' ');
  const words = ['--prompt', 'x', '--session', 's', '--quiet', '--agent', `command:${command} ${count} ${hooks}`];
  const child = spawn(process.execPath, [program, 'run', ...words], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [stderr, peakKb, isOver] = ['', 0, false];
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const look = () => {
    peakKb = Math.max(peakKb, peakOf(child.pid));
  };
  const watch = setInterval(look, 5);
  const ended = new Promise((resolve, reject) =>
    child.once('close', code => {
      isOver = true;
      clearInterval(watch);
      if (code === 0) resolve();
      else reject(new Error(`${name}: the session ended with ${code}: ${stderr}`));
    }),
  );
  ended.catch(() => {});
  return {
    ended,
    kill: () => child.kill('SIGKILL'),
    peakMb: () => (peakKb === 0 ? undefined : (peakKb * 1024) / 1e6),
    async until(condition) {
      const endMs = performance.now() + limitMs;
      while (!condition()) {
        if (isOver) await ended;
        if (isOver || performance.now() > endMs) throw new Error(`${name}: ${condition} did not happen; ${stderr}`);
        await sleep(20);
      }
    },
  };
}

/** Whole records of webhooks in the session's journal. */
function linesOf(project, kind) {
  const journal = join(project, '.hookloop/sessions/s/journal.jsonl');
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : [];
  return lines.filter(line => line.includes(`"kind":"${kind}"`) && line.includes('"event":"score.recorded"'));
}

const countOf = (project, kind) => linesOf(project, kind).length;

const outcomesOf = project => linesOf(project, 'hook.finished').map(line => JSON.parse(line.slice(9)).result.outcome);
