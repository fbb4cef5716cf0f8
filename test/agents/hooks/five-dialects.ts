/** Hooks that say which of them ran, outside the project, where no agent looks. */
const noted = (event: string, dialect: string): string => `echo ${event} ${dialect} >> ../fired.log`;

const when = (word: string, what: string): string => `case $input in *${word}*) ${what};; esac`;

/** At one of the times that the hook runs, so that a turn comes to its end. */
const atTime = (time: number, dialect: string, what: string): string =>
  `if [ "$(grep -c "turn.ending ${dialect}" ../fired.log)" = ${time} ]; then ${what}; fi`;

/** The shell makes single spaces of double ones: what the model has read is what was said, not the command. */
const say = (text: string): string => `echo ${text.replaceAll(' ', '  ')}`;

const passing = (event: string, said: string) => ({
  type: 'shell',
  command: `${noted(event, 'native')}; ${say(said)}`,
  feedback: true,
});

/** `hookloop.yaml`: JSON is YAML. */
const native = {
  version: 1,
  hooks: {
    'session.starting': [passing('session.starting', 'native greets')],
    'prompt.submitting': [
      {
        type: 'shell',
        block: true,
        feedback: true,
        command: `input=$(cat); ${noted('prompt.submitting', 'native')}; ${when('forbidden', `${say('native refuses the prompt')}; exit 1`)}; ${say('native has read the prompt')}`,
      },
    ],
    'tool.calling': [
      {
        type: 'shell',
        block: true,
        feedback: true,
        command: `input=$(cat); ${noted('tool.calling', 'native')}; ${when('refused-native', `${say('native refuses this call')}; exit 1`)}`,
      },
      {
        type: 'shell',
        feedback: true,
        command: `input=$(cat); ${when('allowed-call', say('native lets it pass'))}`,
      },
    ],
    'tool.called': [passing('tool.called', 'native has seen the call')],
    'tool.failed': [passing('tool.failed', 'native has seen the failure')],
    'file.edited': [
      {
        type: 'shell',
        block: true,
        feedback: true,
        command: `${noted('file.edited', 'native')}; if grep -q flaw "$FILE"; then ${say('native has found a flaw')}; exit 1; fi`,
      },
    ],
    'task.completing': [{ type: 'shell', command: noted('task.completing', 'native'), await: true }],
    'turn.ending': [
      {
        type: 'shell',
        block: true,
        feedback: true,
        command: `${noted('turn.ending', 'native')}; ${atTime(1, 'native', `${say('native wants more')}; exit 1`)}`,
      },
    ],
    'turn.ended': [passing('turn.ended', 'native has seen the turn')],
    'iteration.failed': [{ type: 'shell', command: noted('iteration.failed', 'native'), await: true }],
    'session.ended': [{ type: 'shell', command: noted('session.ended', 'native'), await: true }],
  },
};

const nyzhiHook = (event: string, command: string, more = ''): string =>
  `[[agent.hooks]]\nevent = "${event}"\n${more}command = ${JSON.stringify(command)}\n`;

export const nyzhiGate: string = nyzhiHook(
  'pre_tool',
  `input=$(cat); ${noted('tool.calling', 'nyzhi')}; ${when('refused-nyzhi', `${say('nyzhi refuses this call')}; exit 1`)}`,
  'tool_name = "bash"\nblock = true\n',
);

const nyzhi = [
  nyzhiGate,
  nyzhiHook('session_start', `${noted('session.starting', 'nyzhi')}; ${say('nyzhi greets')}`),
  nyzhiHook('post_tool', `${noted('tool.called', 'nyzhi')}; ${say('nyzhi has seen the call')}`, 'tool_name = "bash"\n'),
  nyzhiHook('post_tool_failure', `${noted('tool.failed', 'nyzhi')}; ${say('nyzhi has seen the failure')}`),
  nyzhiHook('after_edit', `sort -o {file} {file} && ${noted('file.edited', 'nyzhi')}`, 'pattern = "*.txt"\n'),
  nyzhiHook('after_turn', noted('turn.ended', 'nyzhi')),
].join('\n');

const script = (event: string, ...lines: readonly string[]): string =>
  `#!/bin/sh\ncd "$REPO_ROOT" || exit 1\ninput=$(cat)\n${noted(event, 'a5c')}\n${lines.join('\n')}\n`;

const context = (event: string, text: string): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })}'`;

/** One project that speaks them all. */
export const fiveDialects: Readonly<Record<string, string>> = {
  'hookloop.yaml': `${JSON.stringify(native, null, 2)}\n`,
  'config.toml': nyzhi,
  '.sauna/hooks.json': JSON.stringify({
    hooks: [{ name: 'gate', command: `${noted('task.completing', 'sauna')}; cat gate.txt` }],
  }),
  '.iteratr.hooks.yml': JSON.stringify({
    version: 1,
    hooks: {
      session_start: [
        { command: `${noted('session.starting', 'iteratr')}; ${say('iteratr greets')}`, pipe_output: true },
      ],
      on_error: [{ command: noted('iteration.failed', 'iteratr') }],
      session_end: [{ command: noted('session.ended', 'iteratr') }],
    },
  }),
  '.a5c/hooks/SessionStart/note.sh': script('session.starting', context('SessionStart', 'a5c greets')),
  '.a5c/hooks/PreToolUse/gate.sh': script(
    'tool.calling',
    when('refused-a5c', `echo '{"decision":"block","reason":"a5c refuses this call"}'`),
  ),
  '.a5c/hooks/PostToolUse/note.sh': script('tool.called', context('PostToolUse', 'a5c has seen the call')),
  '.a5c/hooks/Stop/gate.sh': script(
    'turn.ending',
    atTime(2, 'a5c', `echo '{"decision":"block","reason":"a5c wants more"}'`),
  ),
};
