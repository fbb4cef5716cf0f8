import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HookFile } from './hook-file.ts';

/** Events of which Claude Code calls no server: a command writes them down. */
export const withoutHttp = ['SessionStart', 'Setup'];

export const recordedEvents = [
  ...['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PermissionDenied', 'PostToolUse', 'PostToolUseFailure'],
  ...['PostToolBatch', 'Stop', 'StopFailure', 'SubagentStart', 'SubagentStop', 'TaskCompleted', 'PreCompact'],
  ...['PostCompact', 'Notification', 'FileChanged', 'CwdChanged', 'ConfigChange', 'InstructionsLoaded', 'SessionEnd'],
];

/** Serves the http hooks of a pack; what is posted to `/record` goes to `onRecord`. */
export async function startHookServer(
  files: readonly HookFile[],
  home: string,
  onRecord: (payload: string) => Promise<void> | void,
) {
  const routes = new Map(files.flatMap(({ serves = {} }) => Object.entries(serves)));
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? '';
    if (path === '/record') await onRecord(body);
    const served = routes.get(path);
    if (served?.hangs) return;
    response.writeHead(served?.status ?? 200, { 'content-type': 'application/json' });
    const wanted = Object.entries(served?.wants ?? {});
    const isGiven = wanted.every(([name, value]) => request.headers[name] === value.replaceAll('{{HOME}}', home));
    response.end(isGiven ? (served?.body ?? '') : '');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
