import type { SQSClient } from '@aws-sdk/client-sqs';
import { createSqsClient } from '#shared/platform/queues/queue.ts';

/** The timeout of a call that usually takes an engine milliseconds, and on a busy machine seconds. */
export const PATIENCE_MS = 60_000;

interface Client {
  readonly config: { readonly requestHandler: object };
}

/**
 * Makes a client wait for a slow engine. With the limits of the service, the client would send an attempt again that
 * has succeeded, and a test that counts attempts or charges would fail. Tests of these limits have clients of their
 * own.
 */
export const makePatient = <C extends Client>(client: C): C => {
  const handler = client.config.requestHandler as { updateHttpClientConfig(limit: string, ms: number): void };
  for (const limit of ['connectionTimeout', 'requestTimeout', 'socketTimeout'])
    handler.updateHttpClientConfig(limit, PATIENCE_MS);
  return client;
};

/** A client that sends each message, however long it takes; an endpoint gives up after a second (hints.test.ts). */
export const createPatientSender = (): SQSClient => {
  const client = makePatient(createSqsClient());
  const send = client.send.bind(client) as (command: unknown) => unknown;
  return Object.assign(client, { send: (command: unknown) => send(command) });
};
