import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { actionOf, GuardError, type GuardedRequest } from '#local/engines/guards/guard.ts';
import { checkOrigin } from '#local/engines/guards/origin.ts';
import { verify } from '#local/engines/guards/signature.ts';
import { checkCompletion, checkPart } from '#local/engines/guards/upload-rules.ts';
import { splitTarget } from '#local/gateway/event.ts';
import type { EngineData } from './fauxqs.ts';
import { openStores, uploadsOf } from './stores.ts';
import { listUploads } from './uploads.ts';

// A thread of its own: fauxqs stores with calls that block, up to seconds for a large file, and no request waits for it.

const HOST = '127.0.0.1';

const { directory, keys } = workerData as EngineData;
const stores = await openStores(directory);
const app = buildApp({ logger: false, stores });

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(splitTarget(url).query);

/** The upload that a request names, if it is under way. */
const uploadOf = ({ url }: Pick<GuardedRequest, 'url'>) => uploadsOf(stores).get(queryOf(url).get('uploadId') ?? '');

const isQueue = ({ method, url }: GuardedRequest): boolean => method === 'POST' && url === '/';

const requestOf = ({ method = '', url = '', headers }: IncomingMessage): GuardedRequest => ({ method, url, headers });

/** A response that the guard gives in the engine's place. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const XML = { 'content-type': 'application/xml' };

const refusal = ({ status, code, message }: GuardError, request: GuardedRequest): Answer =>
  isQueue(request)
    ? {
        status,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
      }
    : { status, headers: XML, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };

/** What the guard answers in the engine's place, if anything. */
const answerOf = (request: GuardedRequest, judge: () => Answer | undefined): Answer | undefined => {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    const { headers, ...answer } = refusal(error, request);
    // The rest of the body is not read.
    return { ...answer, headers: { ...headers, connection: 'close' } };
  }
};

const listing = ({ url }: GuardedRequest): Answer => {
  const [, bucket = ''] = url.split(/[/?]/);
  if (!stores.s3Store.hasBucket(bucket)) throw new GuardError(404, 'NoSuchBucket', 'There is no such bucket.');
  const uploads = [...uploadsOf(stores).values()].filter((one) => one.bucket === bucket);
  return { status: 200, headers: XML, body: listUploads(bucket, queryOf(url), uploads) };
};

app.addHook('onRequest', async ({ raw }, reply) => {
  const request = requestOf(raw);
  const answer = answerOf(request, () => {
    checkOrigin(request, `${HOST}:${raw.socket.localPort}`);
    const action = actionOf(request);
    if (!isQueue(request)) verify(request, keys);
    if (action === 'UploadPart') checkPart(queryOf(request.url).get('partNumber'), request.headers, uploadOf(request));
    return action === 'ListMultipartUploads' ? listing(request) : undefined;
  });
  if (answer) await reply.code(answer.status).headers(answer.headers).send(answer.body);
});

/** S3's rules of a completion concern its body. */
app.addHook('preHandler', async ({ raw, body }, reply) => {
  const request = requestOf(raw);
  const upload = uploadOf(request);
  if (request.method !== 'POST' || !upload) return;
  const answer = answerOf(request, () => void checkCompletion(String(body), upload));
  if (answer) await reply.code(answer.status).headers(answer.headers).send(answer.body);
});

/** The signature of a request to SQS covers its body. */
app.addHook('preParsing', async ({ raw }, reply, payload) => {
  const request = requestOf(raw);
  if (!isQueue(request)) return payload;
  const body = await buffer(payload);
  const answer = answerOf(request, () => void verify({ ...request, body }, keys, 'sqs'));
  if (answer) await reply.code(answer.status).headers(answer.headers).send(answer.body);
  return Readable.from([body]);
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
