/** What is refused: the end of a task, a tool call, the end of a turn. */
export type Moment = 'task' | 'tool' | 'turn';

/** A hook that says no, in one dialect. */
export interface Gate {
  title: string;
  /** Where it may stand. */
  moments: readonly Moment[];
  files(moment: Moment): Readonly<Record<string, string>>;
  /** Files that are made executable. */
  scripts?(moment: Moment): Readonly<Record<string, string>>;
  /** What the agent is told, word for word, where nothing is left out. */
  told(moment: Moment, tool: string): string;
  /** An agent whose own hooks these are runs them itself. */
  runBy?: 'claude';
  /** The question that an agent puts to its own user in place of that. */
  asks?: string;
}

export const everywhere: readonly Moment[] = ['task', 'tool', 'turn'];

const nativeNames = { task: 'task.completing', tool: 'tool.calling', turn: 'turn.ending' };
const claudeNames = { task: 'TaskCompleted', tool: 'PreToolUse', turn: 'Stop' };
const nyzhiNames: Readonly<Record<string, string>> = { task: 'task_completed', tool: 'pre_tool_use' };

const wordsFor = (moment: Moment, tool: string): readonly [refused: string, next: string] => {
  if (moment === 'tool') return [`refused this call of ${tool}`, 'Do not repeat this call unchanged.'];
  return moment === 'task'
    ? ['refused this task', 'Fix this, then finish the task again.']
    : ['refused the end of this turn', 'Fix this, then end the turn again.'];
};

/** The default text: which hook, which command, how it ended, what it found, and what to do. */
const inFull =
  (name: string, ending: string, ...found: readonly string[]) =>
  (moment: Moment, tool: string): string => {
    const [refused, next] = wordsFor(moment, tool);
    return [`Hook "${name}" ${refused}: ${ending}.`, ...found, next].join('\n');
  };

const native = (title: string, entry: object | string, told: Gate['told'], more: Partial<Gate> = {}): Gate => ({
  ...{ title: `native: ${title}`, moments: everywhere, told },
  files: moment => ({
    'hookloop.yaml': JSON.stringify({
      judge: { agent: 'scripted:judge.yaml' },
      hooks: { [nativeNames[moment]]: [entry] },
    }),
    'judge.yaml': 'repeat: true\nturns: [{ text: \'{"ok": false, "reason": "the tests are missing"}\' }]\n',
  }),
  ...more,
});

const claude = (title: string, command: string, told: Gate['told'], more: object = {}): Gate => ({
  ...{ title: `Claude-style: ${title}`, moments: everywhere, told, runBy: 'claude' },
  files: moment => ({
    '.claude/settings.json': JSON.stringify({
      hooks: { [claudeNames[moment]]: [{ hooks: [{ type: 'command', command, ...more }] }] },
    }),
  }),
});

const nyzhi = (
  title: string,
  lines: Readonly<Record<string, string | boolean | number>>,
  told: Gate['told'],
): Gate => ({
  ...{ title: `nyzhi: ${title}`, moments: ['task', 'tool'], told },
  files: moment => ({
    '.nyzhi/config.toml': Object.entries({ event: nyzhiNames[moment]!, ...lines }).reduce(
      (text, [key, value]) => `${text}${key} = ${JSON.stringify(value)}\n`,
      '[[agent.hooks]]\n',
    ),
  }),
});

const babysitter = (title: string, script: string, told: Gate['told']): Gate => ({
  ...{ title: `babysitter: ${title}`, moments: ['tool', 'turn'], told },
  files: () => ({}),
  scripts: moment => ({ [`.a5c/hooks/${claudeNames[moment]}/gate.sh`]: `#!/bin/sh\n${script}\n` }),
});

export const printing = 'echo "FAIL adds up"; echo "  at add.ts" >&2; exit 3';
const printed = ['FAIL adds up', '  at add.ts'];
const json = (answer: object): string => `echo '${JSON.stringify(answer)}'`;
const ownWords = () => 'two files lack a test';
const denial = { decision: 'block', reason: ownWords() };
const silent = { decision: 'block' };

/** `port`: where a receiver answers 403 and `not on a Friday`. */
export const gates = (port: number): readonly Gate[] => [
  native(
    'a named command',
    { shell: printing, name: 'unit tests' },
    inFull('unit tests', 'exit code 3', `$ ${printing}`, ...printed),
  ),
  native('a text', printing, inFull(printing, 'exit code 3', `$ ${printing}`, ...printed)),
  native(
    'the long form',
    { type: 'shell', command: printing, block: true },
    inFull(printing, 'exit code 3', `$ ${printing}`, ...printed),
  ),
  native('a silent command', 'exit 7', inFull('exit 7', 'exit code 7', '$ exit 7')),
  native(
    'a command that dies',
    'echo so far; kill -9 $$',
    inFull('echo so far; kill -9 $$', 'killed by SIGKILL', '$ echo so far; kill -9 $$', 'so far'),
  ),
  native(
    'a command that takes too long',
    { shell: 'echo so far; sleep 30', timeout: '300ms' },
    inFull('echo so far; sleep 30', 'timed out after 0.3 s', '$ echo so far; sleep 30', 'so far'),
  ),
  native(
    'a program that is missing',
    'no-such-program --fast',
    inFull('no-such-program --fast', 'exit code 127', '$ no-such-program --fast', 'sh: 1: no-such-program: not found'),
  ),
  native(
    'a script that is not executable',
    './gate.sh',
    inFull('./gate.sh', 'exit code 126', '$ ./gate.sh', 'sh: 1: ./gate.sh: Permission denied'),
    {
      files: moment => ({
        'hookloop.yaml': JSON.stringify({ hooks: { [nativeNames[moment]]: ['./gate.sh'] } }),
        'gate.sh': 'exit 0\n',
      }),
    },
  ),
  native(
    'refuses_on, without words',
    { shell: 'exit 2', refuses_on: [2] },
    inFull('exit 2', 'exit code 2', '$ exit 2'),
  ),
  native('answers: json, with words', { shell: json(denial), answers: 'json' }, ownWords),
  native(
    'answers: json, without words',
    { shell: json(silent), answers: 'json', name: 'reviewer' },
    inFull('reviewer', 'its answer says no', `$ ${json(silent)}`),
  ),
  native(
    'answers: json with refuses_on',
    { shell: 'exit 2', answers: 'json', refuses_on: [2] },
    inFull('exit 2', 'exit code 2', '$ exit 2'),
  ),
  native('deny', { deny: 'Not on a Friday.' }, () => 'Not on a Friday.'),
  native(
    'a judge',
    { judge: 'Is it tested?', tools: false, name: 'reviewer' },
    inFull('reviewer', 'the judge said no', 'the tests are missing'),
  ),
  native(
    'a webhook that says no',
    { webhook: `http://127.0.0.1:${port}/`, name: 'calendar' },
    inFull('calendar', `HTTP status 403 from 127.0.0.1:${port}`, 'not on a Friday'),
  ),
  native(
    'a question',
    { ask: 'Ship it?', timeout: '200ms', name: 'captain' },
    inFull('captain', 'no one answered within 0.2 s'),
    { asks: 'Ship it?' },
  ),
  nyzhi('block', { command: printing, block: true }, inFull(printing, 'exit code 3', `$ ${printing}`, ...printed)),
  nyzhi(
    'block that takes too long',
    { command: 'sleep 30', block: true, timeout: 0.3 },
    inFull('sleep 30', 'timed out after 0.3 s', '$ sleep 30'),
  ),
  { ...nyzhi('exit code 2 of a team hook', { command: 'echo too few; exit 2' }, () => 'too few'), moments: ['task'] },
  claude('exit code 2 with words', 'echo two files lack a test >&2; exit 2', ownWords),
  claude('exit code 2 without words', 'exit 2', inFull('exit 2', 'exit code 2', '$ exit 2')),
  claude(
    'exit code 2 that prints',
    'echo 3 of 5 passed; exit 2',
    inFull('echo 3 of 5 passed; exit 2', 'exit code 2', '$ echo 3 of 5 passed; exit 2', '3 of 5 passed'),
  ),
  claude('JSON with words', json(denial), ownWords),
  claude('JSON without words', json(silent), inFull(json(silent), 'its answer says no', `$ ${json(silent)}`)),
  claude('onFailure: block', printing, inFull(printing, 'exit code 3', `$ ${printing}`, ...printed), {
    onFailure: 'block',
  }),
  claude('onFailure: block, too long', 'sleep 30', inFull('sleep 30', 'timed out after 0.3 s', '$ sleep 30'), {
    onFailure: 'block',
    timeout: 0.3,
  }),
  babysitter('JSON with words', json(denial), ownWords),
  babysitter('JSON without words', json(silent), (moment, tool) =>
    inFull('gate.sh', 'its answer says no', `$ .a5c/hooks/${claudeNames[moment]}/gate.sh`)(moment, tool),
  ),
  babysitter('exit code 2 with words', 'echo two files lack a test >&2; exit 2', ownWords),
  {
    ...{ title: 'sauna', moments: ['task'], files: () => ({ '.sauna/hooks.json': JSON.stringify([printing]) }) },
    told: () => `Hook failed: ${printing}\n\nexit code 3\n\nstdout:\nFAIL adds up\n\nstderr:\n  at add.ts`,
  },
];
