import type { Refusal } from '../../model/index.ts';
import { json, refusalWithFeedback, silence, told } from '../answer-json.ts';
import type { Answer, Host, Payload, Reply } from '../host.ts';
import { native, parsed, textOf } from '../native-events.ts';

const events: Host['events'] = {
  sessionStart: native(['session.starting'], ['feedback']),
  userPromptSubmitted: native(['prompt.submitting']),
  // A timeout lets the tool run, so ours must come first.
  preToolUse: native(['tool.calling'], ['blocks', 'closed']),
  permissionRequest: native(['permission.requesting'], ['blocks']),
  postToolUse: native(['tool.called', 'file.edited'], ['feedback']),
  postToolUseFailure: native(['tool.failed'], ['feedback']),
  agentStop: native(['turn.ending', 'turn.ended'], ['blocks']),
  errorOccurred: native(['iteration.failed']),
  subagentStart: native(['subagent.starting'], ['feedback']),
  subagentStop: native(['subagent.ending'], ['blocks']),
  preCompact: native(['context.compacting']),
  notification: native(['notification.sent'], ['feedback']),
  sessionEnd: native(['session.ended']),
};

export const copilot: Host = {
  name: 'copilot',
  events,
  projectVariables: [],
  capsTurns: true,
  files: {
    project: '.github/copilot/settings.local.json',
    shared: '.github/hooks/hookloop.json',
    user: 'hooks/hookloop.json',
    home: { variable: 'COPILOT_HOME', otherwise: '.copilot' },
    others: { project: ['.github/copilot/settings.json'], user: ['config.json', 'settings.json'] },
  },
  read: (_name, payload) => ({ fields: toFields(payload) }),
  asksUser: true,
  answer(name, reply) {
    const { decision, feedback, input } = reply;
    if (decision.kind !== 'proceed') return refuse(name, decision, reply);
    if (input !== undefined) return json({ modifiedArgs: input });
    return feedback !== '' && events[name]?.feedback ? json({ additionalContext: feedback }) : silence;
  },
};

/** Camel case; times are numbers; what a tool gets is an object or its JSON. */
function toFields({ timestamp, toolArgs, toolResult, error, agentName, ...rest }: Payload): Payload {
  return {
    ...rest,
    ...(typeof timestamp === 'number' ? { timestamp: timeText(timestamp) } : timestamp !== undefined && { timestamp }),
    ...(toolArgs !== undefined && { toolInput: parsed(toolArgs) }),
    ...(toolResult !== undefined && { toolOutput: parsed(toolResult) }),
    ...(error !== undefined && { error: textOf(error) }),
    ...(agentName !== undefined && { agentType: agentName }),
  };
}

/** Beyond what a date can be, a number stays one. */
const timeText = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms));

function refuse(name: string, decision: Refusal, reply: Reply): Answer {
  const text = refusalWithFeedback(decision, reply);
  const isAsking = decision.kind === 'block' && decision.ask === true;
  switch (name) {
    case 'preToolUse':
      return json({ permissionDecision: isAsking ? 'ask' : 'deny', permissionDecisionReason: text });
    case 'permissionRequest':
      // The user is being asked already.
      if (isAsking) return silence;
      return json({ behavior: 'deny', message: text, ...(decision.kind === 'abort' && { interrupt: true }) });
    case 'agentStop':
    case 'subagentStop':
      return decision.kind === 'abort' ? told(text) : json({ decision: 'block', reason: text });
    default:
      return events[name]?.feedback ? json({ additionalContext: text }) : told(text);
  }
}
