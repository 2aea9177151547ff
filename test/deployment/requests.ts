import { randomUUID } from 'node:crypto';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';

export interface Answer {
  readonly status: number;
  readonly json: Record<string, never>;
}

/** Sends requests with tokens of the issuer whose keys the stage has. */
export const clientOf = async (url: string, directory: string) => {
  const issuer = await openIssuer(directory);
  const bearer = (role: string) => issuer.sign(claimsOf({ account: 'acct_1', sub: 'user_1', role }, 3600, {}));

  const post = async (path: string, body: object, { role = 'admin', key = randomUUID() } = {}): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${await bearer(role)}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, json: (await response.json()) as Answer['json'] };
  };

  /** An open invoice, and a payment of it. */
  const paymentOf = async (amount_cents: number) => {
    const { json } = await post('/v1/invoices', { total_cents: amount_cents });
    return { invoice_id: json['id'], amount_cents };
  };

  return {
    /** The statuses of a payment, of its repetition, and of one that is only tried. */
    payInEachWay: async (): Promise<number[]> => {
      const [payment, tried, key] = [await paymentOf(100), await paymentOf(100), randomUUID()];
      const send = (body: object, path = '/v1/payments') => post(path, body, { key });
      const paid = await send(payment);
      const repeated = await send(payment);
      const dryRun = await post('/v1/payments?dry_run=true', tried);
      return [paid, repeated, dryRun].map(({ status }) => status);
    },
    /** The largest payment of these that a clerk may create. */
    clerkLimit: async (amounts: readonly number[]): Promise<number> => {
      let limit = 0;
      for (const amount of amounts) {
        const { status } = await post('/v1/payments?dry_run=true', await paymentOf(amount), { role: 'clerk' });
        if (status === 201) limit = amount;
      }
      return limit;
    },
  };
};
