import type { ActionOutcome } from '../../model/index.ts';
import { quoted } from '../../model/own-entry.ts';
import type { AgentName } from '../index.ts';
import { hostSettings } from '../settings-table.ts';
import { type Installed, toolEvent } from './entries.ts';
import type { SandboxServe } from './http-way.ts';
import type { Finding } from './report.ts';
import { lastWords, type Sandbox } from './sandbox.ts';

export interface Probed {
  latencyMs: number | null;
  findings: readonly Finding[];
}

const rounds = 3;
const mostMs = 5000;

interface Limits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Makes the installed call as the agent would, without the agent: is it answered, and how long does it take? */
export const probeEntry = (
  agent: AgentName,
  installed: Installed,
  { sandbox, serve, ...limits }: Limits & { sandbox: Sandbox; serve: SandboxServe | undefined },
): Promise<Probed> =>
  installed.kind === 'command'
    ? probeCommand(agent, installed.command, sandbox, limits)
    : probeUrl(agent, installed, sandbox, serve!, limits);

/** In one run: serve ends with what has started it. Whether the user's agent has the token is another question. */
async function probeUrl(
  agent: AgentName,
  { url, start }: Extract<Installed, { kind: 'http' }>,
  sandbox: Sandbox,
  { rightEnv, token, redirected }: SandboxServe,
  { timeoutMs, signal }: Limits,
): Promise<Probed> {
  const calls = Array.from({ length: rounds + 1 }, (_, round) => payloadOf(agent, round, sandbox));
  sandbox.clear([]);
  const { outcome } = await sandbox.run({
    file: 'sh',
    args: ['-c', httpProbe(start, redirected(url), token, calls)],
    env: rightEnv,
    stdin: '{}',
    timeoutMs: Math.min(timeoutMs, 2 * mostMs),
    signal,
  });
  const flaw = flawOf(outcome, sandbox.calls().length);
  const fix = `hookloop install ${agent} --http`;
  if (flaw !== undefined)
    return { latencyMs: null, findings: [{ severity: 'error', message: `serve does not answer: ${flaw}`, fix }] };
  const times = ('stdout' in outcome ? outcome.stdout : '').trim().split('\n').slice(1).map(Number);
  return { latencyMs: middleOf(times), findings: [] };
}

async function probeCommand(
  agent: AgentName,
  command: string,
  sandbox: Sandbox,
  { timeoutMs, signal }: Limits,
): Promise<Probed> {
  const times: number[] = [];
  // The first one compiles what the others find.
  for (let round = 0; round <= rounds; round += 1) {
    sandbox.clear([]);
    const { outcome, tookMs } = await sandbox.run({
      file: 'sh',
      args: ['-c', command],
      stdin: payloadOf(agent, round, sandbox),
      timeoutMs: Math.min(timeoutMs, mostMs),
      signal,
    });
    const flaw = flawOf(outcome, sandbox.calls().length);
    if (flaw !== undefined) return { latencyMs: null, findings: [brokenEntry(agent, command, flaw)] };
    if (round > 0) times.push(tookMs);
  }
  return { latencyMs: middleOf(times), findings: [] };
}

/** At least one, so that no one reads that it takes no time. */
const middleOf = (times: readonly number[]): number =>
  Math.max(1, Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!));

const payloadOf = (agent: AgentName, round: number, { folders }: Sandbox): string =>
  JSON.stringify(
    hostSettings[agent].shellCall({
      ...{ id: `canary-${round}`, cwd: folders.root, native: toolEvent(agent) },
      input: { command: 'true' },
    }),
  );

function flawOf(outcome: ActionOutcome, calls: number): string | undefined {
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0) return lastWords(outcome);
  return calls === 0 ? 'it ran no hook' : undefined;
}

const brokenEntry = (agent: AgentName, command: string, why: string): Finding => ({
  severity: 'error',
  message: `the installed command does not work: ${why}`,
  // The committed entry finds the program by its name.
  fix: /(^|&& )(NODE_OPTIONS= )?hookloop hook /.test(command) ? 'npm install -g hookloop' : `hookloop install ${agent}`,
});

/** POSTs payloads to an address one after another; prints how many milliseconds each took. */
const script = `
const { request } = require('node:http');
const [url, token, ...payloads] = process.argv.slice(1);
const post = body => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer ' + token };
  const sent = request(url, { method: 'POST', headers }, response => {
    if (response.statusCode !== 200) reject(new Error('serve answered ' + response.statusCode));
    response.resume().on('end', resolve);
  });
  sent.on('error', reject).end(body);
});
(async () => {
  for (const body of payloads) {
    const begun = performance.now();
    await post(body);
    console.log(performance.now() - begun);
  }
})().catch(error => { console.error(error.message); process.exit(1); });
`;

/** A line for `sh` that lets the first command start serve, and then calls it. */
const httpProbe = (start: string, url: string, token: string, payloads: readonly string[]): string => {
  const words = [process.execPath, '-e', script, url, token, ...payloads].map(quoted);
  return `{ ${start.replace(/ # hookloop$/, '')}; } > /dev/null && exec ${words.join(' ')}`;
};
