import { askAsAgent } from '../../app/ask-running-session.ts';
import { type ControlRequest, readApproval, readId, readTasks } from '../../model/control.ts';
import { isObject } from '../../model/json.ts';
import type { ToolText } from './tools.ts';

/** Contract: never rejects; what went wrong is a result that says so. */
export async function callTool(sessionFolder: string, tool: ToolText, given: unknown, signal: AbortSignal) {
  const asked = await askAsAgent(sessionFolder, { ...withoutNulls(given), method: tool.method }, signal);
  if (asked.kind === 'bad') return failure(`${tool.name}: ${asked.reason}`);
  const { request, reply } = asked;
  if (reply.kind === 'ok') return told(request, reply.value);
  if (reply.kind === 'refused') return failure(reply.reason);
  return failure(
    reply.kind === 'not-running'
      ? `${tool.name} did nothing: the Hookloop session is not running (any more). Nothing was recorded; do not try again.`
      : `${tool.name} did not get an answer from the Hookloop session: ${reply.reason}. It may or may not have been recorded.`,
  );
}

/** Some models send null for an argument that they leave out. */
function withoutNulls(given: unknown): object {
  if (!isObject(given)) return {};
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null && name !== 'method'));
}

const contentOf = (text: string) => [{ type: 'text' as const, text }];

const failure = (text: string) => ({ isError: true, content: contentOf(text) });

/** What the model reads, and the same as data for programs. */
const success = (text: string, data: Record<string, unknown>) => ({
  ...{ isError: false, content: contentOf(text), structuredContent: data },
});

function told(request: ControlRequest, value: unknown) {
  switch (request.method) {
    case 'task.add': {
      const id = readId(value);
      return success(`Added${id === undefined ? '' : ` as ${id}`}: ${request.content}`, { id });
    }
    case 'task.list': {
      const tasks = (readTasks(value) ?? []).map(({ id, content, status }) => ({ id, status, content }));
      const lines = tasks.map(({ id, status, content }) => `${id} [${status}] ${content}`);
      return success(lines.join('\n') || 'There are no tasks.', { tasks });
    }
    case 'task.start':
      return success(`${request.id} is started.`, { id: request.id, status: 'started' });
    case 'task.done':
      return success(`${request.id} is done.`, { id: request.id, status: 'done' });
    case 'score': {
      const { score, target } = request;
      return target === undefined
        ? success(`Recorded ${score}.`, { score })
        : success(`Recorded ${score} of ${target}.`, { score, target });
    }
    case 'approval': {
      // An answer that is not understood is not a yes.
      const answer = readApproval(value) ?? { approved: false };
      const said = answer.message === undefined ? '' : ` They said: ${answer.message}`;
      return success(answer.approved ? `Approved.${said}` : `Not approved: do not do it.${said}`, answer);
    }
    case 'finish':
      return success(`Recorded: ${request.decision}. You may end your turn now.`, { decision: request.decision });
    // The other requests are those of commands and hooks: no tool makes them.
    default:
      return success('', {});
  }
}
