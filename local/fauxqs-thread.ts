import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { splitTarget } from './event.ts';
import type { EngineData } from './fauxqs.ts';
import { openStores, uploadsOf } from './fauxqs-stores.ts';
import { actionOf, Refused } from './guard.ts';
import { verify } from './signature.ts';
import { listUploads } from './uploads.ts';

// A thread of its own: fauxqs stores with calls that block, up to seconds for a large file, and no request waits for it.

const HOST = '127.0.0.1';

const { directory, keys } = workerData as EngineData;
const stores = await openStores(directory);
const app = buildApp({ logger: false, stores });

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(splitTarget(url).query);

const told = ({ code, message }: Refused, isQueue: boolean): { type: string; body: string } =>
  isQueue
    ? {
        type: 'application/x-amz-json-1.0',
        body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
      }
    : { type: 'application/xml', body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };

app.addHook('onRequest', async ({ raw }, reply) => {
  const request = { method: raw.method ?? '', url: raw.url ?? '', headers: raw.headers };
  const isQueue = request.method === 'POST' && request.url === '/';
  try {
    const action = actionOf(request, `${HOST}:${raw.socket.localPort}`);
    if (!isQueue) await verify(request, keys);
    if (action !== 'ListMultipartUploads') return;
    const [, bucket = ''] = request.url.split(/[/?]/);
    if (!stores.s3Store.hasBucket(bucket)) throw new Refused(404, 'NoSuchBucket', 'There is no such bucket.');
    await reply.type('application/xml').send(listUploads(bucket, queryOf(request.url), uploadsOf(stores, bucket)));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { type, body } = told(error, isQueue);
    // What still comes of the body is not read.
    await reply.code(error.status).header('connection', 'close').type(type).send(body);
  }
});

/** A receiver that has gone would take its next message along: all who wait are answered, and those who live ask again. */
app.addHook('onRequest', async (_, { raw }) => {
  raw.once('close', () => {
    if (raw.writableFinished) return;
    for (const queue of stores.sqsStore.allQueues()) queue.cancelWaiters();
  });
});

/** What the engine leaves out of a download: the headers that its address asks for, and the bucket's word for browsers. */
app.addHook('onSend', async ({ raw }, reply) => {
  if (raw.method !== 'GET') return;
  reply.header('access-control-allow-origin', '*');
  if (reply.statusCode >= 300) return;
  for (const [name, value] of queryOf(raw.url)) {
    const header = /^response-(content-(?:disposition|type))$/.exec(name)?.[1];
    if (header) reply.header(header, value);
  }
});

parentPort?.once('message', () => void app.close());
await app.listen({ port: 0, host: HOST });
parentPort?.postMessage(`http://${HOST}:${(app.server.address() as AddressInfo).port}`);
