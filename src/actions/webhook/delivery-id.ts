import { createHash, randomBytes } from 'node:crypto';

/** The same for every try, and for the run that a crash makes necessary: receivers know a repetition by it. No dot, signatures have dots around it. */
export function deliveryId(seed: string, key: string | undefined): string {
  const bytes =
    key === undefined
      ? randomBytes(18)
      : createHash('sha256')
          .update(JSON.stringify([seed, key]))
          .digest();
  return `msg_${bytes.subarray(0, 18).toString('base64url')}`;
}
