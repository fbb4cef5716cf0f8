import { Webhook } from 'standardwebhooks';

/** Signs one try of a delivery as Standard Webhooks has it. */
export type Sign = (id: string, at: Date, body: string) => string;

/** Undefined if the secret is not one of Standard Webhooks: base64, with or without `whsec_` in front. */
export function createSign(secret: string): Sign | undefined {
  try {
    const webhook = new Webhook(secret);
    return (id, at, body) => webhook.sign(id, at, body);
  } catch {
    return undefined;
  }
}
