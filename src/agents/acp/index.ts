import { joinSignals, onCancel } from '../../actions/process/cancel.ts';
import type { AgentPort, AgentStart, AgentStarted } from '../../model/agent.ts';
import { missingProgram } from '../command-line.ts';
import { agentPort } from '../port.ts';
import { type AgentProcess, startChild } from './child.ts';
import { connect } from './connection.ts';
import type { LiveConversation } from './conversation.ts';
import { type Deadlines, defaultDeadlines, initialise } from './initialise.ts';
import { openConversation } from './open.ts';
import type { ClientConnection } from './sdk.ts';

export interface AcpOptions {
  name: string;
  /** Runs as `sh -c 'exec COMMAND'`. */
  command: string;
  /** Added where the session's environment has no such variable. */
  env?: Readonly<Record<string, string>>;
  /** Goes with every conversation that is opened, for the agent alone to understand. */
  meta?: Readonly<Record<string, unknown>>;
  /** It writes files itself in any case: what it would have us write besides, it writes over. */
  writesItself?: boolean;
  /** Its own hooks tell of each tool call before it is made. */
  hooksTell?: boolean;
  /** It tells of tools of MCP servers as of kind `execute`: of others that is a command. */
  mcpAsExecute?: boolean;
  /** Gets what it prints that is not of the protocol; absent: it is shown. Contract: does not throw. */
  onLog?: ((line: string) => void) | undefined;
  deadlines?: Partial<Deadlines>;
  /** How its user signs in. */
  signIn?: string;
}

/** Any agent that speaks the Agent Client Protocol over stdio. */
export const createAcpAgent = (options: AcpOptions): AgentPort =>
  agentPort({
    name: options.name,
    missing: context => missingProgram('acp', options.command, context),
    start: start => startAcp(options, start),
  });

async function startAcp(options: AcpOptions, start: AgentStart): Promise<AgentStarted> {
  const { listener, cwd } = start;
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  const conversations = new Map<string, LiveConversation>();
  const onLog = options.onLog ?? ((text: string) => listener.show({ kind: 'log', text }));
  let child: AgentProcess | undefined;
  let connection: ClientConnection;
  try {
    child = startChild({
      command: options.command,
      cwd,
      env: { ...options.env, ...start.env },
      onLog,
    });
    connection = await connect(child, conversations, { onLog, writesItself: options.writesItself });
  } catch (error) {
    await child?.stop();
    return { kind: 'failed', reason: (error as Error).message };
  }
  const { stop } = child;
  if (start.signal.aborted) await stop();
  const ignoreCancel = onCancel(start.signal, () => void stop());
  void child.gone.then(ignoreCancel);
  const initialised = await initialise(connection, child, {
    startMs: deadlines.startMs,
    signal: start.signal,
    writesItself: options.writesItself,
  });
  if (initialised.kind !== 'ready') {
    await stop();
    return initialised;
  }
  const line = { connection, child, conversations };
  return {
    kind: 'started',
    agent: {
      isAlive: () => line.child.isAlive() && !connection.signal.aborted,
      stop,
      async converse({ resume, signal = start.signal } = {}) {
        const given = joinSignals(start.signal, signal);
        const { capabilities } = initialised;
        const { meta, hooksTell, mcpAsExecute, signIn = initialised.signIn } = options;
        const told = { meta, hooksTell, mcpAsExecute, signIn };
        const request = { resume, signal: given.signal, capabilities, deadlines, ...told };
        const conversed = await openConversation(request, start, line);
        given.clear();
        return conversed;
      },
    },
  };
}
