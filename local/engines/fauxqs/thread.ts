import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { endConnectionsOf } from '#local/cli/linger.ts';
import { actionOf, GuardError, type GuardedRequest } from '#local/engines/guards/guard.ts';
import { checkOrigin } from '#local/engines/guards/origin.ts';
import { verify } from '#local/engines/guards/signature.ts';
import { checkCompletion, checkPart } from '#local/engines/guards/upload-rules.ts';
import { splitTarget } from '#local/gateway/event.ts';
import type { EngineData } from './fauxqs.ts';
import { openStores, uploadsOf } from './stores.ts';
import { listUploads } from './uploads.ts';

// Runs in its own thread, because fauxqs writes with blocking calls, which take seconds for a large file.

const HOST = '127.0.0.1';

const { directory, keys } = workerData as EngineData;
const stores = await openStores(directory);
const app = buildApp({ logger: false, stores });
endConnectionsOf(app.server);

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(splitTarget(url).query);

const uploadOf = ({ url }: Pick<GuardedRequest, 'url'>) => uploadsOf(stores).get(queryOf(url).get('uploadId') ?? '');

const isQueue = ({ method, url }: GuardedRequest): boolean => method === 'POST' && url === '/';

const requestOf = ({ method = '', url = '', headers }: IncomingMessage): GuardedRequest => ({ method, url, headers });

interface GuardResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const XML = { 'content-type': 'application/xml' };

const errorResponse = ({ status, code, message }: GuardError, request: GuardedRequest): GuardResponse =>
  isQueue(request)
    ? {
        status,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
      }
    : { status, headers: XML, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };

/** The guard's response; undefined if the engine should respond. */
const runGuard = (request: GuardedRequest, check: () => GuardResponse | undefined): GuardResponse | undefined => {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    const { headers, ...response } = errorResponse(error, request);
    return { ...response, headers: { ...headers, connection: 'close' } };
  }
};

const listUploadsResponse = ({ url }: GuardedRequest): GuardResponse => {
  const [, bucket = ''] = url.split(/[/?]/);
  if (!stores.s3Store.hasBucket(bucket))
    throw new GuardError(404, 'NoSuchBucket', 'The specified bucket does not exist');
  const uploads = [...uploadsOf(stores).values()].filter((one) => one.bucket === bucket);
  return { status: 200, headers: XML, body: listUploads(bucket, queryOf(url), uploads) };
};

app.addHook('onRequest', async ({ raw }, reply) => {
  const request = requestOf(raw);
  const response = runGuard(request, () => {
    checkOrigin(request, `${HOST}:${raw.socket.localPort}`);
    const action = actionOf(request);
    if (!isQueue(request)) verify(request, keys);
    if (action === 'UploadPart') checkPart(queryOf(request.url).get('partNumber'), request.headers, uploadOf(request));
    return action === 'ListMultipartUploads' ? listUploadsResponse(request) : undefined;
  });
  if (response) await reply.code(response.status).headers(response.headers).send(response.body);
});

/** S3's rules of a completion concern the body. */
app.addHook('preHandler', async ({ raw, body }, reply) => {
  const request = requestOf(raw);
  const upload = uploadOf(request);
  if (request.method !== 'POST' || !upload) return;
  const response = runGuard(request, () => void checkCompletion(String(body), upload));
  if (response) await reply.code(response.status).headers(response.headers).send(response.body);
});

/** The signature of an SQS request covers the body. */
app.addHook('preParsing', async ({ raw }, reply, payload) => {
  const request = requestOf(raw);
  if (!isQueue(request)) return payload;
  const body = await buffer(payload);
  const response = runGuard(request, () => void verify({ ...request, body }, keys, 'sqs'));
  if (response) await reply.code(response.status).headers(response.headers).send(response.body);
  return Readable.from([body]);
});

/**
 * A disconnected consumer would take its next message with it. So all waiting requests get an empty response, and
 * connected consumers poll again.
 */
app.addHook('onRequest', async (_, { raw }) => {
  raw.once('close', () => {
    if (raw.writableFinished) return;
    for (const queue of stores.sqsStore.allQueues()) queue.cancelWaiters();
  });
});

/** Adds the headers that the engine omits from a download: those in its URL, and the bucket's CORS header. */
app.addHook('onSend', async ({ raw }, reply) => {
  if (raw.method !== 'GET' && raw.method !== 'HEAD') return;
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
