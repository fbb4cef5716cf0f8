import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { proofOf } from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { isOneOf } from './http/access.ts';

/** Where a server of ours shows that it is one, with a proof that follows from the challenge in the address. */
export const challengePath = '/hookloop/server/';

/** Whether a server of the same user has the port. Contract: never rejects, and whatever listens there has a second. */
export async function proveOurs(questions: Questions, port: number): Promise<boolean> {
  const challenge = randomBytes(32).toString('hex');
  const expected = proofOf(await questions.secret(), port, challenge);
  return new Promise(resolve => {
    const request = get(
      {
        host: '127.0.0.1',
        port,
        path: `${challengePath}${challenge}`,
        agent: false,
        signal: AbortSignal.timeout(1000),
      },
      response => {
        let text = '';
        response.setEncoding('latin1');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > 1024) request.destroy();
        });
        response.on('end', () => resolve(isOneOf(text.trim(), [expected])));
        response.on('error', () => resolve(false));
      },
    );
    request.on('error', () => resolve(false));
    request.on('close', () => resolve(false));
  });
}
