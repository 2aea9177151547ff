import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { splitTarget } from './event.ts';
import type { EngineData } from './fauxqs.ts';
import { openStores, uploadsOf } from './fauxqs-stores.ts';
import { actionOf, Refused } from './guard.ts';
import { verify } from './signature.ts';
import { checkCompletion, checkPart } from './upload-rules.ts';
import { listUploads } from './uploads.ts';

// A thread of its own: fauxqs stores with calls that block, up to seconds for a large file, and no request waits for it.

const HOST = '127.0.0.1';

const { directory, keys } = workerData as EngineData;
const stores = await openStores(directory);
const app = buildApp({ logger: false, stores });

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(splitTarget(url).query);

/** The upload that a request names, if it is under way. */
const uploadOf = (url: string | undefined) => uploadsOf(stores).get(queryOf(url).get('uploadId') ?? '');

/** An answer in the engine's place, in the form of the service; any other error is thrown on. */
const told = (error: unknown, isQueue: boolean): { status: number; type: string; body: string } => {
  if (!(error instanceof Refused)) throw error;
  const { status, code, message } = error;
  if (!isQueue) {
    return {
      status,
      type: 'application/xml',
      body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    };
  }
  const body = JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message });
  return { status, type: 'application/x-amz-json-1.0', body };
};

app.addHook('onRequest', async ({ raw }, reply) => {
  const request = { method: raw.method ?? '', url: raw.url ?? '', headers: raw.headers };
  const isQueue = request.method === 'POST' && request.url === '/';
  try {
    const action = actionOf(request, `${HOST}:${raw.socket.localPort}`);
    if (!isQueue) await verify(request, keys);
    const query = queryOf(request.url);
    if (action === 'UploadPart') checkPart(query.get('partNumber'), request.headers, uploadOf(request.url));
    if (action !== 'ListMultipartUploads') return;
    const [, bucket = ''] = request.url.split(/[/?]/);
    if (!stores.s3Store.hasBucket(bucket)) throw new Refused(404, 'NoSuchBucket', 'There is no such bucket.');
    const uploads = [...uploadsOf(stores).values()].filter((one) => one.bucket === bucket);
    await reply.type('application/xml').send(listUploads(bucket, query, uploads));
  } catch (error) {
    const { status, type, body } = told(error, isQueue);
    // What still comes of the body is not read.
    await reply.code(status).header('connection', 'close').type(type).send(body);
  }
});

app.addHook('preHandler', async ({ raw, body }, reply) => {
  const upload = uploadOf(raw.url);
  if (raw.method !== 'POST' || !upload) return;
  try {
    checkCompletion(String(body), upload);
  } catch (error) {
    const { status, type, body: answer } = told(error, false);
    await reply.code(status).type(type).send(answer);
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
