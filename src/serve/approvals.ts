import { joinServer } from '../people/server/share.ts';
import { approvalsFolder } from '../session/questions/questions.ts';

/** Where sessions publish their questions unless a hook says otherwise. */
export const callbackPort = 8765;

/** Callbacks are answered while serve runs, also after the session that asked has ended. Contract: never rejects. */
export async function joinApprovals(env: Readonly<Record<string, string | undefined>>): Promise<() => Promise<void>> {
  const folder = approvalsFolder(env);
  try {
    const seat = folder === undefined ? undefined : await joinServer(folder, callbackPort);
    return seat?.kind === 'seated' ? seat.release : async () => {};
  } catch {
    return async () => {};
  }
}
