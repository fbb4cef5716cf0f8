import type { ActionOutcome } from '../../model/index.ts';
import { quoted } from '../../model/own-entry.ts';
import type { AgentName } from '../index.ts';
import { hostSettings } from '../settings-table.ts';
import { type Finding, finding } from './agent-report.ts';
import { type Installed, toolEvent } from './entries.ts';
import type { SandboxServe } from './http-way.ts';
import { lastWords, type Sandbox } from './sandbox.ts';

export interface Probed {
  latencyMs: number | null;
  findings: readonly Finding[];
}

const rounds = 3;
/** A command that is slow on a busy machine works all the same: agents wait longer. */
const mostMs = 10_000;

/** Makes the installed call as the agent would, without the agent: is it answered, and how long does it take? `serve`: where calls go to it. */
export async function probeEntry(
  agent: AgentName,
  installed: Installed,
  sandbox: Sandbox,
  serve: SandboxServe | undefined,
): Promise<Probed> {
  const { call, start } = installed;
  const payloads = Array.from({ length: rounds + 1 }, (_, round) => payloadOf(agent, round, sandbox));
  // In one run: serve ends with what has started it. Whether the user's agent has the token is another question.
  const runs =
    start === undefined || serve === undefined
      ? payloads.map(stdin => ({ line: call, stdin, env: {}, mostMs }))
      : [{ line: postLine(start, call, serve, payloads), stdin: '{}', env: serve.rightEnv, mostMs: 2 * mostMs }];
  const times: number[] = [];
  for (const { line, ...run } of runs) {
    sandbox.clear([]);
    const { outcome, tookMs } = await sandbox.run({ file: 'sh', args: ['-c', line], ...run });
    const flaw = flawOf(outcome, sandbox.calls().length);
    if (flaw !== undefined) return { latencyMs: null, findings: [broken(agent, installed, flaw)] };
    times.push(...(serve && 'stdout' in outcome ? outcome.stdout.trim().split('\n').map(Number) : [tookMs]));
  }
  // The first one compiles what the others find.
  const [, middle] = times.slice(1).sort((a, b) => a - b);
  // At least one, so that no one reads that it takes no time.
  return { latencyMs: Math.max(1, Math.round(middle!)), findings: [] };
}

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

function broken(agent: AgentName, { call, start }: Installed, why: string): Finding {
  const again = `hookloop install ${agent}`;
  if (start !== undefined) return finding('error', `serve does not answer: ${why}`, `${again} --http`);
  // The committed entry finds the program by its name.
  const isByName = /(^|&& )(NODE_OPTIONS= )?hookloop hook /.test(call);
  const fix = isByName ? 'npm install -g hookloop' : again;
  return finding('error', `the installed command does not work: ${why}`, fix);
}

/** POSTs payloads to an address one after another; prints how many milliseconds each took. Serve lets no `fetch` in. */
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
function postLine(start: string, url: string, serve: SandboxServe, payloads: readonly string[]): string {
  const words = [process.execPath, '-e', script, serve.redirected(url), serve.token, ...payloads].map(quoted);
  return `{ ${start.replace(/ # hookloop$/, '')}; } > /dev/null && exec ${words.join(' ')}`;
}
