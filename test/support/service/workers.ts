import { randomUUID } from 'node:crypto';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { openApp } from '#local/app.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import { createPatientSender, makePatient } from '#test/support/engine/patience.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { clientOf, type LocalService, startService } from './local-service.ts';

/** The service, its queue and bucket, and its workers. */
export interface Workers {
  readonly service: LocalService;
  readonly queue: QueueAndFiles;
  /** The clients of the workers, into which a test can inject faults that do not affect the endpoints. */
  readonly own: ReturnType<typeof clients>;
  /** The client by which endpoints send messages. */
  readonly sender: SQSClient;
  /** Runs a worker once, with this remaining time. */
  run<R>(worker: Worker | string, event: unknown, remaining?: number, own?: Workers['own']): Promise<R>;
  /** Handles the bodies of messages, until the queue is empty. */
  drain(handle: (bodies: readonly string[]) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

export const startWorkers = async (variables: Readonly<Record<string, string>> = {}): Promise<Workers> => {
  const sender = createPatientSender();
  const { promise, resolve } = Promise.withResolvers<QueueAndFiles>();
  // The database engine starts first: it may set the credentials that SQS and S3 must use.
  const service = await startService(
    async () => {
      resolve(await startTestQueueAndFiles());
      return { ...(await promise).variables, ...variables };
    },
    { queues: sender },
  );
  const queue = await promise;
  const own = clients();
  for (const client of Object.values(own)) makePatient(client);
  return {
    service,
    queue,
    own,
    sender,
    run(worker, event, remaining = 60_000, engines = own) {
      const { environment } = service;
      return openApp({ environment, clients: engines, clientOf }).work(worker, event, { remaining });
    },
    async drain(handle) {
      for (;;) {
        const messages = await queue.receive();
        if (messages.length === 0) return;
        await handle(messages.map(({ Body = '' }) => Body));
      }
    },
    async stop() {
      for (const client of [sender, ...Object.values(own)]) client.destroy();
      await Promise.all([service.stop(), queue.stop()]);
    },
  };
};

/** Publishes the events of an account, as after the insert of a row into the outbox. */
export const publish = ({ run }: Pick<Workers, 'run'>, account: string): Promise<void> => {
  const Keys = { account_id: { S: account }, id: { N: '1' } };
  return run('workers/publish-changes', { Records: [{ eventName: 'INSERT', dynamodb: { Keys } }] });
};

/** @param body an object is sent as JSON */
export const recordOf = (body: object | string, receives = 1): SQSRecord =>
  ({
    messageId: randomUUID(),
    receiptHandle: randomUUID(),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: String(receives) },
    messageAttributes: {},
  }) as SQSRecord;
