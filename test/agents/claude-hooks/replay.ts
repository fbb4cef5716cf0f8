import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dispatchEvent, type FireContext } from '../../../src/app/dispatch-event.ts';
import { plansOnDisk } from '../../../src/app/plan-source.ts';
import type { EventResult } from '../../../src/model/index.ts';
import type { Pack } from './hook-file.ts';
import {
  endedLine,
  type Firing,
  goesOnWith,
  heardLine,
  inPlace,
  type Observed,
  type Outcome,
  type Payload,
  type Recorded,
  textsIn,
  textsOf,
  toldToPerson,
} from './observed.ts';
import { type Filling, fill, unfill, writePack } from './project.ts';
import { startHookServer } from './recorder.ts';

/** Fires what Claude Code told its hooks once more, with our engine and in a project of the same files. */
export async function replay(pack: Pack, recorded: Pick<Recorded, 'firings' | 'steps'>): Promise<Observed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-replay-')));
  const server = await startHookServer(pack.files, join(folder, 'home'), () => {});
  const filling: Filling = { project: join(folder, 'project'), home: join(folder, 'home'), url: server.url };
  try {
    for (const made of [filling.project, filling.home]) mkdirSync(made);
    spawnSync('git', ['init', '-q'], { cwd: filling.project });
    writePack(pack, filling);
    writeJudge(pack, filling);
    return await fireAll(pack, recorded, filling);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Answers the questions of hooks as the scripted model did. */
function writeJudge({ files }: Pack, { project }: Filling): void {
  const answers = files.flatMap(({ judges = {} }) => Object.entries(judges));
  if (answers.length === 0) return;
  if (files.some(({ judgesByTool }) => judgesByTool)) {
    // One that no command can stand in for: it may use tools. Each question is a conversation of its own.
    writeFileSync(join(project, 'judge.yaml'), JSON.stringify({ turns: [{ text: JSON.stringify(answers[0]![1]) }] }));
    writeFileSync(join(project, 'hookloop.yaml'), 'judge: { agent: "scripted:judge.yaml" }\n');
    return;
  }
  const program = `let text = process.argv.slice(2).join(' ');
process.stdin.on('data', part => { text += part; }).on('end', () => {
  const [, answer] = ${JSON.stringify(answers)}.find(([part]) => text.includes(part)) ?? [];
  console.log(JSON.stringify(answer));
});
`;
  writeFileSync(join(project, 'judge.cjs'), program);
  writeFileSync(join(project, 'hookloop.yaml'), 'judge: { agent: "command:node judge.cjs" }\n');
}

async function fireAll(
  pack: Pack,
  { firings, steps }: Pick<Recorded, 'firings' | 'steps'>,
  filling: Filling,
): Promise<Observed> {
  const texts = textsOf(pack);
  const outcomes: { firing: Firing; outcome: Outcome }[] = [];
  const heard = new Map<string, { step: number; event: string; said: string[] }>();
  const shown: string[] = [];
  const ended = new Set<number>();
  for (const firing of firings) {
    const payload = JSON.parse(fill(JSON.stringify(firing.payload), filling)) as Payload;
    const transcript = join(filling.home, 'transcript.jsonl');
    if (firing.transcript !== undefined) writeFileSync(transcript, fill(firing.transcript, filling));
    repeatTool(firing.event, payload, filling);
    const given = firing.transcript === undefined ? payload : { ...payload, transcript_path: transcript };
    const result = await fireOne(firing.event, given, filling);
    outcomes.push({ firing, outcome: unfill(outcomeOf(firing.event, result), filling) as Outcome });
    if (result.decision.kind === 'abort' && endsTurn(firing.event)) ended.add(firing.step);
    const { decision } = result;
    const isForPerson = toldToPerson.has(firing.event) && decision.kind !== 'proceed';
    if (isForPerson) shown.push(...texts.filter(text => decision.reason.includes(text)));
    const isHeard = firing.step < steps && !isForPerson;
    const said = isHeard ? textsIn(forModel(result), texts) : [];
    const key = `${firing.step} ${firing.event}`;
    const before = heard.get(key)?.said ?? [];
    if (said.length > 0) heard.set(key, { step: firing.step, event: firing.event, said: [...before, ...said] });
    for (const hook of result.results)
      if (hook.status === 'finished' && hook.message !== undefined)
        shown.push(...texts.filter(text => hook.message!.includes(text)));
  }
  return {
    outcomes: [...inPlace(outcomes), ...[...ended].map(endedLine)],
    heard: [...heard.values()].map(({ step, event, said }) => heardLine(pack, step, event, said)),
    shown,
  };
}

async function fireOne(event: string, payload: Payload, { project, home }: Filling): Promise<EventResult> {
  const context: FireContext = {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' },
    plans: plansOnDisk,
    signal: new AbortController().signal,
    program: '/nonexistent',
    report: () => ({ line: () => {}, progress: () => {} }),
    tell: () => {},
  };
  const request = { only: 'claude', requireTrust: false, dryRun: false } as const;
  const fired = await dispatchEvent({ event, input: () => JSON.stringify(payload) }, request, context);
  if (fired.kind !== 'fired') throw new Error(`${event}: ${fired.why}`);
  return fired.result;
}

/** What the tool did to the project: hooks after it look there. */
function repeatTool(event: string, { tool_name, tool_input }: Payload, { project }: Filling): void {
  if (event !== 'PostToolUse') return;
  const { command, file_path, content } = (tool_input ?? {}) as Record<string, string>;
  if (tool_name === 'Bash' && command !== undefined) spawnSync('sh', ['-c', command], { cwd: project });
  if (tool_name !== 'Write' || file_path === undefined) return;
  mkdirSync(dirname(file_path), { recursive: true });
  writeFileSync(file_path, content ?? '');
}

const refusable: ReadonlySet<string> = new Set(['UserPromptSubmit', 'PreToolUse', 'PermissionRequest']);
const endsTurn = (event: string): boolean => event.includes('Tool') || event === 'PermissionRequest';

/** Of an event that has happened a refusal is a text; without anyone to ask, a question is a no. */
function outcomeOf(event: string, { decision }: EventResult): Outcome {
  if (decision.kind === 'abort') return refusable.has(event) ? 'refused' : 'goes on';
  if (decision.kind === 'proceed' && decision.input !== undefined) return goesOnWith(decision.input);
  return decision.kind === 'block' ? 'refused' : 'goes on';
}

function forModel({ decision, feedback }: EventResult): string {
  if (decision.kind === 'abort') return feedback;
  return `${decision.kind === 'proceed' ? JSON.stringify(decision.output ?? '') : decision.reason}\n${feedback}`;
}
