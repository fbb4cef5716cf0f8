import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

/** opencode runs code, not commands: the plugin that `install` writes calls us with these names. */
export const events: Host['events'] = {
  'session.created': native(['session.starting']),
  // The plugin rewrites a refused prompt.
  'chat.message': native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  'tool.execute.before': native(['tool.calling'], ['blocks', 'closed']),
  'tool.execute.after': native(['tool.called', 'file.edited'], ['feedback']),
  'session.idle': native(['turn.ending', 'turn.ended']),
  'session.error': native(['iteration.failed']),
  'session.deleted': native(['session.ended']),
};
