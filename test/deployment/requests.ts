import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { type Answer, createClient } from '#test/support/service/client.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { httpTransport } from '#test/support/service/transport.ts';

/** The requests so far, and the failed requests. */
interface Outcome {
  readonly requests: number;
  readonly failures: readonly string[];
}

/**
 * MiniStack kills a function when its code changes, also in the middle of a request, or while the function starts. A
 * function that fails at its start has an output.
 */
const isKilled = (text: string): boolean => /Worker process (died|exited immediately\. stderr: ")/.test(text);

/** A round costs 23 of the 100 that an account has in a second (CONTRACT §16). */
const ROUND_PAUSE_MS = 300;

/** Sends requests with tokens of the issuer whose keys the stage has. */
export const clientOf = async (url: string, directory: string) => {
  const issuer = await openIssuer(directory);
  const account = newAccount();
  const service = createClient(
    {
      transport: httpTransport(url),
      tokens: ({ seconds = 3600, claims, ...bearer }) => issuer.sign({ ...claimsOf(bearer, seconds, {}), ...claims }),
      accountOf: (name = account) => name,
      permissions: { role: 'admin' },
    },
    { checks: { documented: false } },
  );
  const make = makers(service);
  const clerk = makers(service, { role: 'clerk' });
  const paymentOf = async (amount_cents: number) => ({
    invoice_id: (await make.invoice({ total_cents: amount_cents })).id,
    amount_cents,
  });

  return {
    /** The statuses of a payment, of its repetition, and of a dry run. */
    payInEachWay: async (): Promise<number[]> => {
      const [payment, tried] = [await paymentOf(100), await paymentOf(100)];
      const key = { 'idempotency-key': randomUUID() };
      const paid = await make.send('POST', '/v1/payments', payment, key);
      const repeated = await make.send('POST', '/v1/payments', payment, key);
      const dryRun = await make.send('POST', '/v1/payments?dry_run=true', tried);
      return [paid, repeated, dryRun].map(({ status }) => status);
    },
    /** The largest payment of these that a clerk may create. */
    clerkLimit: async (amounts: readonly number[]): Promise<number> => {
      let limit = 0;
      for (const amount of amounts) {
        const { status } = await clerk.send('POST', '/v1/payments?dry_run=true', await paymentOf(amount));
        if (status === 201) limit = amount;
      }
      return limit;
    },
    createCustomer: (body: object) => make.customer(body),
    /** The number of customers that a filter selects, or the status of a refused request. */
    async countWith(filter: string): Promise<number> {
      const { status, json } = await make.send('GET', `/v1/customers?page=1&${filter}`);
      return status === 200 ? json.total_count : status;
    },
    /** Creates, reads, lists, changes and pays, again and again, until the work has ended. */
    async sendDuring(work: () => Promise<void>): Promise<Outcome> {
      let [requests, isEnding] = [0, false];
      const failures: string[] = [];
      const note = (what: string, { status, text }: Answer): void => {
        requests += 1;
        if (status >= 400 && !isKilled(text)) failures.push(`${what}: ${status} ${text.slice(0, 200)}`);
      };
      const round = async () => {
        const created = await make.send('POST', '/v1/customers', { name: 'Ada' });
        note('POST', created);
        if (created.status !== 201) return;
        const path = String(created.headers['location']);
        note('GET', await make.send('GET', path));
        note('PATCH', await make.send('PATCH', path, { name: 'Eve' }));
        note('list', await make.send('GET', '/v1/customers?limit=5'));
        note('payment', await make.send('POST', '/v1/payments', await paymentOf(1)));
      };
      const running = (async () => {
        while (!isEnding) {
          await round().catch((error: Error) => {
            if (!isKilled(error.message)) failures.push(error.message);
          });
          await sleep(ROUND_PAUSE_MS);
        }
      })();
      try {
        await work();
      } finally {
        isEnding = true;
        await running;
      }
      return { requests, failures };
    },
    /** Reads, changes and deletes all customers. */
    async useAllCustomers(): Promise<Outcome> {
      const failures: string[] = [];
      const rows = await make.list('/v1/customers?limit=100');
      const methods = [['GET'], ['PATCH', { name: 'Bob' }], ['DELETE']] as const;
      for (const { id } of rows)
        for (const [method, body] of methods) {
          const { status } = await make.send(method, `/v1/customers/${id}`, body);
          if (status >= 400) failures.push(`${method} ${id}: ${status}`);
        }
      return { requests: methods.length * rows.length, failures };
    },
  };
};
