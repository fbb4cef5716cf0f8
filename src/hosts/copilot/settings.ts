import type { HostSettings } from '../settings.ts';

export const settings: HostSettings = {
  holds: {
    kind: 'json',
    header: scope => (scope === 'project' ? {} : { version: 1 }),
    entry: ({ event, command }) => ({ type: 'command', bash: command, timeoutSec: event.timeoutMs / 1000 }),
  },
  http: 'Copilot takes https alone where tools can be refused, and runs the tool when the call fails: gates would vanish',
  program: 'copilot',
  shellCall: ({ id, cwd, input }) => ({ sessionId: id, timestamp: Date.now(), cwd, toolName: 'bash', toolArgs: input }),
  headless: 'Copilot CLI works only with its own servers',
};
