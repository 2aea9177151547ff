import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import type { Message } from '#shared/vocabulary.ts';
import type { QueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import type { Answer, Caller } from './client.ts';
import { runLater } from './clock.ts';
import type { LocalService } from './local-service.ts';
import { type Makers, makers, newAccount } from './makers.ts';

import { recordOf, startWorkers, type Workers } from './workers.ts';

/** The service and its workers. The workers have their own clients, so that a test can inject faults only into them. */
export interface Exports
  extends LocalService,
    Pick<QueueAndFiles, 'bucket' | 'receive' | 'files' | 'read' | 'uploads' | 'purge'> {
  readonly own: Workers['own'];
  readonly sender: Workers['sender'];
  /** Runs the export worker on these messages, with this remaining time. */
  work(
    messages: readonly (Message | string)[],
    options?: { remaining?: number; worker?: Worker },
  ): Promise<SQSBatchResponse>;
  /** Runs the export worker until the queue is empty. */
  drain(options?: { remaining?: number; worker?: Worker }): Promise<void>;
  /** Runs the reconciler with the clock this many minutes ahead. */
  reconcile(minutes?: number): Promise<void>;
  /** Runs `act` with the clock this many minutes ahead. */
  at<T>(minutes: number, act: () => Promise<T>): Promise<T>;
  /** Requests an export, which puts its message on the queue, and returns its id. */
  request(body: object, as?: Caller): Promise<number>;
  job(id: number, as?: Caller): Promise<Answer['json']>;
  /** Makes a job due for the reconciler: its lease has expired. */
  elapse(id: number, account?: string): Promise<void>;
}

export const startExports = async (): Promise<Exports> => {
  const { service, queue, own, sender, run, drain, stop } = await startWorkers();
  const work: Exports['work'] = (messages, { remaining = 300_000, worker = 'workers/export' } = {}) =>
    run(worker, { Records: messages.map((body) => recordOf(body)) }, remaining);
  return {
    ...service,
    ...queue,
    own,
    sender,
    work,
    drain: (options) => drain((bodies) => work(bodies, options)),
    async reconcile(minutes = 0) {
      if (minutes === 0) return run('workers/reconcile', {});
      // An SDK client corrects its clock by the date of a response: clients with a shifted clock are used once.
      const temporary = clients();
      await runLater(minutes, () => run('workers/reconcile', {}, 60_000, temporary));
      for (const client of Object.values(temporary)) client.destroy();
    },
    at: runLater,
    async request(body, as = {}) {
      const response = await service.send('/v1/exports', { method: 'POST', body, as });
      if (response.status !== 202) throw new Error(response.text);
      return response.json.id;
    },
    job: async (id, as = {}) => (await service.send(`/v1/exports/${id}`, { as })).json,
    elapse: (id, account = 'acct_1') => expireLease(service.client, account, id),
    stop,
  };
};

/** Starts the service and workers for a test file. Each test begins with a new account and an empty queue. */
export const forEachTest = (begin: (service: Exports, account_id: string, make: Makers) => void): void => {
  let service: Exports;
  beforeAll(async () => {
    service = await startExports();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.purge();
    const account_id = newAccount();
    begin(service, account_id, makers(service, { account: account_id }));
  });
};

/** Creates customers of the maximum size, so that few of them fill a part of an upload. */
export const createLargeCustomers = async (make: Makers, count: number): Promise<void> => {
  const text = '€'.repeat(1000);
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`key${key}`, '€'.repeat(500)]));
  const [line1, line2, city, region, postal_code] = Array.from({ length: 5 }, () => text);
  const body = { name: text, tax_id: text, address: { line1, line2, city, region, postal_code }, metadata };
  for (let created = 0; created < count; created += 8)
    await Promise.all(Array.from({ length: 8 }, () => make.customer(body)));
};

const expireLease = async (client: DynamoDBDocumentClient, account_id: string, id: number): Promise<void> => {
  await client.send(
    new UpdateCommand({
      TableName: 'exports',
      Key: { account_id, id },
      UpdateExpression: 'SET #l = :zero, #d = :zero',
      ConditionExpression: 'attribute_exists(#d)',
      ExpressionAttributeNames: { '#l': 'lease_until', '#d': 'due_at' },
      ExpressionAttributeValues: { ':zero': 0 },
    }),
  );
};
