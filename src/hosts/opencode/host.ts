import { json, refusalWithFeedback, told } from '../answer-json.ts';
import type { Host, Payload } from '../host.ts';
import { native, textOf } from '../native-events.ts';

/** opencode runs code, not commands: the plugin that `install` writes calls us with these names. */
const events: Host['events'] = {
  'session.created': native(['session.starting']),
  // The plugin rewrites a refused prompt.
  'chat.message': native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  'tool.execute.before': native(['tool.calling'], ['blocks', 'closed']),
  'tool.execute.after': native(['tool.called', 'file.edited'], ['feedback']),
  'experimental.session.compacting': native(['context.compacting'], ['feedback']),
  'session.compacted': native(['context.compacted']),
  // A session inside a session.
  'subagent.created': native(['subagent.starting']),
  'subagent.idle': native(['subagent.ending']),
  'permission.rejected': native(['permission.denied']),
  'tui.toast.show': native(['notification.sent']),
  'session.idle': native(['turn.ending', 'turn.ended']),
  'session.error': native(['iteration.failed']),
  'session.deleted': native(['session.ended']),
};

export const opencode: Host = {
  name: 'opencode',
  events,
  projectVariables: [],
  capsTurns: false,
  replacesOutput: true,
  files: {
    project: '.opencode/plugins/hookloop.js',
    shared: '.opencode/plugins/hookloop.js',
    user: 'opencode/plugins/hookloop.js',
    home: { variable: 'XDG_CONFIG_HOME', otherwise: '.config' },
    others: {
      project: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
      user: ['opencode/opencode.json', 'opencode/opencode.jsonc'],
    },
  },
  read: (_name, payload) => ({ fields: toFields(payload) }),
  /** The plugin throws what stands in `deny`, adds `context` to what the model reads, and puts `args` and `output` in place of the call's. Silence is no answer to it. */
  answer(name, reply) {
    const { decision, feedback, input, output } = reply;
    const spec = events[name];
    if (decision.kind === 'proceed' && input !== undefined) return json({ args: input });
    if (decision.kind === 'proceed' && output !== undefined)
      return json({
        output: typeof output === 'string' ? output : JSON.stringify(output),
        ...(feedback !== '' && { context: feedback }),
      });
    if (decision.kind === 'proceed') return feedback !== '' && spec?.feedback ? json({ context: feedback }) : json({});
    const text = refusalWithFeedback(decision, reply);
    if (spec?.blocks) return json({ deny: text });
    return spec?.feedback ? json({ context: text }) : told(text);
  },
};

/** What the plugin sends: the fields of opencode's own arguments, and the folder. */
function toFields({ sessionID, callID, args, directory, error, ...rest }: Payload): Payload {
  return {
    ...rest,
    session: sessionID,
    ...(callID !== undefined && { toolCallId: callID }),
    ...(args !== undefined && { input: args }),
    ...(directory !== undefined && { cwd: directory }),
    ...(error !== undefined && { error: textOf(error) }),
  };
}
