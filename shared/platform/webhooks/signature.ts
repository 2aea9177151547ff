import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** The parts of a request that a signature covers. */
export interface SignedMessage {
  readonly id: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly body: string;
}

export const createSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The header `webhook-signature` of Standard Webhooks: one signature for each secret (CONTRACT §15). */
export const sign = ({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
