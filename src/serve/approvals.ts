import { joinServer } from '../people/callback-server.ts';
import { approvalsFolder } from '../session/questions/questions.ts';

/** Where sessions publish their questions unless a hook says otherwise. */
export const callbackPort = 8765;

/** Callbacks are answered while serve runs, also after the session that asked has ended. Contract: never rejects. */
export async function joinApprovals(env: Readonly<Record<string, string | undefined>>): Promise<() => Promise<void>> {
  const folder = approvalsFolder(env);
  try {
    const server = folder === undefined ? undefined : await joinServer(folder, callbackPort);
    return server?.kind === 'joined' ? server.release : async () => {};
  } catch {
    return async () => {};
  }
}
