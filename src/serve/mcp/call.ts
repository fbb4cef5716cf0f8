import type { ControlRequest } from '../../model/control.ts';
import { askSession } from '../../session/control/ask.ts';
import { checkRequest, isObject } from '../../session/control/request.ts';
import { readApproval, readId, readTasks } from '../../session/control/values.ts';
import type { ToolText } from './tools.ts';

/** What the model reads, and the same as data for programs. */
export interface ToolResult {
  isError: boolean;
  text: string;
  data?: Record<string, unknown>;
}

/** Contract: never rejects; what went wrong is a result that says so. */
export async function callTool(
  sessionFolder: string,
  tool: ToolText,
  given: unknown,
  signal: AbortSignal,
): Promise<ToolResult> {
  const checked = checkRequest({ ...withoutNulls(given), method: tool.method });
  if (checked.kind === 'bad') return failure(`${tool.name}: ${checked.reason}`);
  const reply = await askSession(sessionFolder, checked.request, { signal });
  if (reply.kind === 'ok') return success(checked.request, reply.value);
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

const failure = (text: string): ToolResult => ({ isError: true, text });

const success = (request: ControlRequest, value: unknown): ToolResult => ({ isError: false, ...told(request, value) });

function told(request: ControlRequest, value: unknown): { text: string; data: Record<string, unknown> } {
  switch (request.method) {
    case 'task.add': {
      const id = readId(value);
      return { text: `Added${id === undefined ? '' : ` as ${id}`}: ${request.content}`, data: { id } };
    }
    case 'task.list': {
      const tasks = (readTasks(value) ?? []).map(({ id, content, status }) => ({ id, status, content }));
      const lines = tasks.map(({ id, status, content }) => `${id} [${status}] ${content}`);
      return { text: lines.join('\n') || 'There are no tasks.', data: { tasks } };
    }
    case 'task.start':
      return { text: `${request.id} is started.`, data: { id: request.id, status: 'started' } };
    case 'task.done':
      return { text: `${request.id} is done.`, data: { id: request.id, status: 'done' } };
    // For hooks, not for agents.
    case 'task.post':
      return { text: '', data: {} };
    case 'task.drop':
      return { text: `${request.id} is dropped.`, data: { id: request.id, status: 'dropped' } };
    case 'score':
      return scoreTold(request.score, request.target);
    case 'approval':
      return approvalTold(value);
    case 'finish':
      return {
        text: `Recorded: ${request.decision}. You may end your turn now.`,
        data: { decision: request.decision },
      };
    // Of the agent's own hooks, not of its tools.
    case 'host':
      return { text: '', data: {} };
  }
}

const scoreTold = (score: number, target: number | undefined): { text: string; data: Record<string, unknown> } =>
  target === undefined
    ? { text: `Recorded ${score}.`, data: { score } }
    : { text: `Recorded ${score} of ${target}.`, data: { score, target } };

/** An answer that is not understood is not a yes. */
function approvalTold(value: unknown): { text: string; data: Record<string, unknown> } {
  const answer = readApproval(value) ?? { approved: false };
  const said = answer.message === undefined ? '' : ` They said: ${answer.message}`;
  return { text: answer.approved ? `Approved.${said}` : `Not approved: do not do it.${said}`, data: answer };
}
