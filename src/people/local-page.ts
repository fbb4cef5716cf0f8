import { approvalsFolder, readQuestion } from '../session/questions/questions.ts';
import { hashToken, knownSecret, tokenOf } from '../session/questions/secret.ts';
import { wayBackTo } from './page/way-back.ts';
import { proveOurs } from './server/challenge.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The address of a question's page on this machine, at a port where one of ours listens. Unlike `linkTo` it writes
 * nothing, so a question whose token it cannot make has none. For the user alone: whoever has it can answer. The page
 * leads back to the dashboard that asks for its address.
 */
export async function localPage(
  env: Env,
  id: string,
  { otherPort, dashboardPort }: { otherPort: number; dashboardPort: number },
): Promise<string | undefined> {
  const folder = approvalsFolder(env);
  const question = folder === undefined ? undefined : readQuestion(folder, id);
  const secret = question && knownSecret(folder!);
  if (folder === undefined || !question || !secret) return undefined;
  const token = tokenOf(secret, id, question.nonce);
  if (!question.tokenHashes.includes(hashToken(token))) return undefined;
  for (const port of new Set([question.port, otherPort]))
    if (await proveOurs(folder, port))
      return `http://127.0.0.1:${port}/callback/${id}/${token}?${wayBackTo(secret, dashboardPort)}`;
  return undefined;
}
