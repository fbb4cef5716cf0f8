import { either, filled, flag, json, list, map, oneOf, record, seconds, text } from '../../config/shape.ts';

const common = {
  timeout: seconds('Seconds (default 600; UserPromptSubmit 30, prompt 30, agent 60)'),
  if: text('One permission rule; Hookloop leaves a hook with it to Claude Code'),
  statusMessage: text('Shown while the hook runs'),
  once: flag('Counts in skills only'),
};
const failure = { onFailure: oneOf(['continue', 'block'], 'What a crash or a timeout means (default continue)') };
const judge = {
  prompt: filled('Question for the model; it answers with ok and a reason'),
  model: text('Model that answers'),
  continueOnBlock: flag('The agent goes on after a no'),
};

/** One entry of a group, by its `type`. */
export const entryShapes = {
  command: record(
    {
      type: oneOf(['command']),
      command: filled('Shell command, or with args the program to run'),
      args: list(text(), 'Arguments: the program runs without a shell'),
      shell: oneOf(['bash', 'powershell'], 'Shell for the command'),
      async: flag('Start it and move on'),
      asyncRewake: flag('As async; Claude Code wakes up on exit code 2'),
      ...failure,
      ...common,
    },
    { required: ['type', 'command'] },
  ),
  prompt: record({ type: oneOf(['prompt']), ...judge, ...common }, { required: ['type', 'prompt'] }),
  agent: record({ type: oneOf(['agent']), ...judge, ...common }, { required: ['type', 'prompt'] }),
  http: record(
    {
      type: oneOf(['http']),
      url: filled('Where the event is posted'),
      headers: map(text()),
      allowedEnvVars: list(text()),
      ...failure,
      ...common,
    },
    { required: ['type', 'url'] },
  ),
  mcp_tool: record(
    {
      type: oneOf(['mcp_tool']),
      server: filled('MCP server'),
      tool: filled('Tool of that server'),
      input: json('Input of the tool'),
      ...common,
    },
    { required: ['type', 'server', 'tool'] },
  ),
};

export type EntryType = keyof typeof entryShapes;

export const isEntryType = (type: unknown): type is EntryType =>
  typeof type === 'string' && Object.hasOwn(entryShapes, type);

/** What stands in the place of an entry without a known type. */
export const anyEntryShape = record(
  { type: oneOf(Object.keys(entryShapes), 'Kind of hook') },
  { required: ['type'], open: true },
);

const matcher = text('Names split by |, or a regular expression; empty or * for all');

/** A group and a file without the entries, which are read one by one so that a bad one leaves the others alone. */
export const groupShape = record({ matcher, hooks: list(json()) }, { required: ['hooks'] });
export const topShape = record(
  { hooks: map(json()), disableAllHooks: flag('No hook of this kind runs') },
  { open: true },
);

/** The part of a settings file that Hookloop reads, for its JSON Schema. */
export const fileShape = record(
  {
    description: text('What a plugin says about its hooks'),
    disableAllHooks: topShape.fields.disableAllHooks,
    hooks: map(
      list(record({ matcher, hooks: list(either(Object.values(entryShapes))) }, { required: ['hooks'] })),
      'Hooks by event',
    ),
  },
  { open: true, doc: 'Hooks of .claude/settings.json, .claude/settings.local.json and a plugin’s hooks/hooks.json' },
);
