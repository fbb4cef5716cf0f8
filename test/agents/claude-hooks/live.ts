import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedTurn } from '../../../src/hosts/doctor/model-server.ts';
import { eventually } from '../../contracts/agent.ts';
import { headless } from '../cases/headless.ts';
import { claude } from '../cases/index.ts';
import { createPlace } from '../place.ts';
import { runCommand } from '../run-program.ts';
import { observeClaude } from './claude-observed.ts';
import type { Pack } from './hook-file.ts';
import type { Firing, Payload, Recorded } from './observed.ts';
import { type Filling, fill, unfill, writePack } from './project.ts';
import { recordedEvents, startHookServer, withoutHttp } from './recorder.ts';

/** Runs Claude Code once in a project with the files of a pack, and tells what it did with them. */
export async function runLive(pack: Pack, binFolder: string): Promise<Recorded> {
  const judges = pack.files.flatMap(({ judges = {}, judgesByTool }) =>
    Object.entries(judges).map(([part, answer]) => [part, answerOf(answer, judgesByTool)] as const),
  );
  const place = await createPlace(claude, binFolder, heard => {
    // The question itself, not a conversation in which it is named.
    const question = JSON.stringify((JSON.parse(heard) as unknown[])[0]);
    return judges.find(([part]) => question.includes(part))?.[1];
  });
  const firings: Firing[] = [];
  const note = async (body: string, step: number): Promise<void> => {
    const payload = JSON.parse(body) as Payload;
    const firing: Firing = { event: String(payload['hook_event_name']), step, payload: steady(payload, filling) };
    firings.push(firing);
    if (pack.transcript && firing.event === 'Stop') firing.transcript = await transcriptOf(payload, filling);
  };
  const server = await startHookServer(pack.files, place.home, body => note(body, place.model.heard().length));
  const filling: Filling = { project: place.project, home: place.home, url: server.url };
  try {
    writePack(pack, filling);
    const calls = pack.files.flatMap(file => file.calls ?? []);
    const turns = [...calls.map(call => ({ text: 'Next.', tools: [call] })), ...(pack.turns ?? [])];
    const run = async (prompt: string, ...more: string[]): Promise<string> => {
      const command = [join(binFolder, headless['claude']!.program), ...wordsFor(prompt, pack), ...more];
      return (await runCommand(command, place, quiet).ended).stdout;
    };
    if (pack.before !== undefined) await run(pack.before);
    writeRecorder(filling);
    place.model.script(JSON.parse(fill(JSON.stringify(turns), filling)));
    const stdout = await run(pack.prompt ?? 'Do the work.', ...(pack.before === undefined ? [] : ['--continue']));
    const started: Firing[] = startsIn(place.home).map(body => {
      const payload = JSON.parse(body) as Payload;
      const step = payload['source'] === 'compact' ? place.model.heard().length : 0;
      return { event: String(payload['hook_event_name']), step, payload: steady(payload, filling) };
    });
    const all = [...started, ...firings];
    const heard = place.model.heard();
    return {
      version: versionIn(stdout),
      steps: heard.length,
      firings: all,
      observed: observeClaude(pack, all, heard, stdout),
    };
  } finally {
    server.close();
    await place.leave();
  }
}

const answerOf = (answer: object, isByTool: true | undefined): ScriptedTurn =>
  isByTool ? { tools: [{ name: 'StructuredOutput', args: { ...answer } }] } : { text: JSON.stringify(answer) };

const wordsFor = (prompt: string, { tools = allTools, words = [] }: Pack): readonly string[] => [
  ...words,
  ...['-p', prompt, '--output-format', 'stream-json', '--verbose', '--include-hook-events'],
  ...['--permission-mode', 'acceptEdits', '--allowedTools', tools],
];

const allTools = 'Bash Write Edit Read Agent TaskCreate TaskUpdate';

const quiet = {
  CLAUDE_CODE_ENABLE_TASKS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
};

/** In the user's settings: those of the project stay as they are. */
function writeRecorder({ home, url }: Filling): void {
  const http = { hooks: [{ type: 'http', url: `${url}/record` }] };
  const command = {
    hooks: [{ type: 'command', command: `cat >> ${home}/starts.jsonl; echo >> ${home}/starts.jsonl` }],
  };
  const hooks = {
    ...Object.fromEntries(recordedEvents.map(event => [event, [http]])),
    ...Object.fromEntries(withoutHttp.map(event => [event, [command]])),
  };
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ hooks }));
}

function startsIn(home: string): string[] {
  try {
    return readFileSync(join(home, 'starts.jsonl'), 'utf8')
      .split('\n')
      .filter(line => line.trim() !== '');
  } catch {
    return [];
  }
}

/** Without what differs from run to run. */
function steady(payload: Payload, filling: Filling): Payload {
  const { prompt_id: _prompt, transcript_path: _transcript, duration_ms: _duration, ...rest } = payload;
  return JSON.parse(unfill(JSON.stringify({ ...rest, session_id: 'claude-session' }), filling)) as Payload;
}

/** What was said and done; what Claude Code keeps besides is its own business. */
async function transcriptOf({ transcript_path: path, ...payload }: Payload, filling: Filling): Promise<string> {
  try {
    const isWritten = (): boolean =>
      readFileSync(String(path), 'utf8').includes(String(payload['last_assistant_message']));
    // Claude Code writes it a little later than it calls its hooks.
    await eventually(isWritten, 5000);
    const lines = readFileSync(String(path), 'utf8').trim().split('\n');
    const kept = lines.map(line => JSON.parse(line)).filter(({ type }) => type === 'user' || type === 'assistant');
    const short = kept.map(({ type, message }) => JSON.stringify({ type, message: bare(message) }));
    return unfill(`${short.join('\n')}\n`, filling);
  } catch {
    return '';
  }
}

const bare = ({ role, content }: { role: string; content: unknown }) => ({ role, content });

const versionIn = (stdout: string): string => /"claude_code_version":"([^"]+)"/.exec(stdout)?.[1] ?? 'unknown';
