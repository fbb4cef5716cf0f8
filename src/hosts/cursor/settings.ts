import { claudeShellCall, type HostSettings } from '../settings.ts';

export const settings: HostSettings = {
  holds: {
    kind: 'json',
    header: () => ({ version: 1 }),
    entry: ({ event, command }) => ({
      command,
      timeout: event.timeoutMs / 1000,
      ...(event.closed && { failClosed: true }),
    }),
  },
  program: 'cursor-agent',
  shellCall: call => ({ ...claudeShellCall('Shell')(call), conversation_id: call.id, workspace_roots: [call.cwd] }),
  headless: 'Cursor works only with its own servers',
};
