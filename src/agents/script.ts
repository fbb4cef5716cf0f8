import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseJson } from '../config/json.ts';
import { read } from '../config/read.ts';
import { createReport } from '../config/report.ts';
import { count, filled, flag, json, list, oneOf, record, seconds, text, type ValueOf } from '../config/shape.ts';
import { parseYaml } from '../config/yaml.ts';
import { describeProblem } from '../model/index.ts';

const usedShape = record(
  {
    input: count('Tokens read'),
    output: count('Tokens written'),
    cost: { type: 'number', min: 0, doc: 'USD' },
    context: count('Tokens in the context'),
    context_size: count('How many fit'),
  },
  { doc: 'What the agent says its conversation has used by then, all in all' },
);

const toolShape = record(
  {
    name: filled('The tool: Bash (runs input.command), Write, Edit and Read (of input.file_path) act for real'),
    input: json('What the tool is called with'),
    output: json('What a tool that does not act for real gives back'),
    fails: text('The tool fails with this error instead of acting'),
    used: usedShape,
  },
  { required: ['name'] },
);

const turnShape = record({
  when: text('This turn answers every prompt that contains this text; turns without it are played in order'),
  expect: text('A text that must occur in the prompt, else the turn fails'),
  delay: seconds('Seconds to wait first'),
  thought: text('What the agent thinks, for people to see'),
  tools: list(toolShape, 'Tool calls, one after another; each is asked for first'),
  tick: record(
    {
      file: filled('The Markdown file with the tasks'),
      task: text('A text in the task to tick; absent: the first that is open'),
    },
    { required: ['file'], doc: 'Ticks an open `- [ ]` task, as an edit like any other' },
  ),
  status: record(
    {
      decision: oneOf(['continue', 'stop', 'error']),
      reason: text(),
      summary: text(),
    },
    { required: ['decision'], doc: 'Written to the file that STATUS names' },
  ),
  usage: record(
    {
      input: count('Tokens read'),
      output: count('Tokens written'),
      cached: count('Of those read, how many from a cache'),
    },
    { required: ['input', 'output'], doc: 'What the agent says the turn has used' },
  ),
  text: text('What the agent says at the end'),
  stop_reason: text('Why the turn ended (default end_turn)'),
  fail: text('The turn fails with this reason'),
  signed_out: text('The turn fails with this reason: no one is signed in to the agent'),
  limit: record(
    {
      kind: oneOf(['usage', 'rate', 'overload']),
      until: text('When the agent may go on, ISO 8601'),
      retry_after: seconds('The same in seconds from now'),
      reason: text('What the agent says'),
    },
    { required: ['kind'], doc: 'The turn ends because the agent may not go on for now' },
  ),
  exit: count('The agent dies in the middle of the turn, with this exit code'),
});

const scriptShape = record(
  {
    turns: list(turnShape, 'One for each prompt'),
    repeat: flag('Start over after the last turn (default: one prompt too many fails)'),
  },
  { required: ['turns'], doc: 'Turns that the scripted agent plays, without a model' },
);

export type Script = ValueOf<typeof scriptShape>;
export type ScriptTurn = Script['turns'][number];
export type ScriptUsed = ValueOf<typeof usedShape>;
export type ScriptTool = NonNullable<ScriptTurn['tools']>[number];

export type ScriptReading = { kind: 'script'; script: Script } | { kind: 'unavailable' | 'failed'; reason: string };

const maxBytes = 1024 * 1024;

/** Reads a script in JSON or YAML. Everything wrong is said with its place. */
export function readScript(file: string, cwd: string): ScriptReading {
  const path = resolve(cwd, file);
  let content: string;
  try {
    if (statSync(path).size > maxBytes) return { kind: 'failed', reason: `${file} is larger than 1 MiB` };
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { kind: 'unavailable', reason: `there is no script ${file} for the scripted agent` };
    return { kind: 'failed', reason: `the script cannot be read: ${(error as Error).message}` };
  }
  const report = createReport(relative(cwd, path), content, true);
  const parsed = path.endsWith('.json') ? parseJson(content) : parseYaml(content);
  for (const flaw of parsed.flaws) report.flaw(flaw);
  if (parsed.kind === 'parsed' && !parsed.root) return { kind: 'failed', reason: `${file} is empty` };
  const script = parsed.kind === 'parsed' && parsed.root ? read(parsed.root, scriptShape, report) : undefined;
  const problems = report.problems.map(problem => describeProblem(problem));
  // A misspelt key in a script would silently test nothing, so here it is as bad as an error.
  if (script === undefined || problems.length > 0) return { kind: 'failed', reason: problems.join('\n') };
  return { kind: 'script', script };
}

/** Which turn answers a prompt: the first whose `when` it contains, else the next of those without. */
export function createPicker({ turns, repeat = false }: Script): (prompt: string) => ScriptTurn | { reason: string } {
  const inOrder = turns.filter(turn => turn.when === undefined);
  let next = 0;
  return prompt => {
    const said = prompt.length > 500 ? `${prompt.slice(0, 500)}…` : prompt;
    const called = turns.find(({ when }) => when !== undefined && prompt.includes(when));
    const turn = called ?? inOrder[repeat && inOrder.length > 0 ? next % inOrder.length : next];
    if (!turn) return { reason: `the script has no turn left for this prompt: ${said}` };
    if (!called) next += 1;
    const { expect } = turn;
    if (expect === undefined || prompt.includes(expect)) return turn;
    return { reason: `the prompt does not contain "${expect}": ${said}` };
  };
}
