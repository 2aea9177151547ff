import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { endConnectionsOf } from '#local/cli/linger.ts';
import { HOST } from '#local/cli/open-port.ts';
import { splitTarget } from '#local/gateway/event.ts';
import { rejectMalformedHttp } from '#local/gateway/invalid-requests.ts';
import { checkAccess } from './access.ts';
import type { EngineData } from './fauxqs.ts';
import { RequestError } from './request-error.ts';
import { openStores, uploadsOf } from './stores.ts';
import { checkCompletion, checkPart } from './upload-rules.ts';
import { listUploads } from './uploads.ts';

// Runs in its own thread, because fauxqs writes with blocking calls, which take seconds for a large file.

const XML = { 'content-type': 'application/xml' };
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const { directory, secretAccessKey } = workerData as EngineData;
const stores = await openStores(directory);
const app = buildApp({ logger: false, stores });
endConnectionsOf(app.server);
// The framework's own listener destroys the connection while the client still sends.
app.server.removeAllListeners('clientError').on('clientError', rejectMalformedHttp());

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(splitTarget(url).query);

const uploadOf = (query: URLSearchParams) => uploadsOf(stores).get(query.get('uploadId') ?? '');

app.setErrorHandler(async (error, _, reply) => {
  if (!(error instanceof RequestError)) return reply.send(error);
  const { status, code, message } = error;
  const body = `${XML_DECLARATION}<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return reply
    .code(status)
    .headers({ ...XML, connection: 'close' })
    .send(body);
});

app.addHook('onRequest', ({ raw }) => checkAccess(raw, `${HOST}:${raw.socket.localPort}`, secretAccessKey));

app.addHook('onRequest', async ({ raw: { method, url, headers } }, reply) => {
  const query = queryOf(url);
  const partNumber = query.get('partNumber');
  if (method === 'PUT' && partNumber !== null) checkPart(partNumber, headers, uploadOf(query));
  if (method === 'GET' && query.has('uploads')) await reply.headers(XML).send(listUploadsOf(url, query));
});

/** Implements ListMultipartUploads, which the engine lacks. */
const listUploadsOf = (url = '', query: URLSearchParams): string => {
  const [, bucket = ''] = splitTarget(url).path.split('/');
  if (!stores.s3Store.hasBucket(bucket))
    throw new RequestError(404, 'NoSuchBucket', 'The specified bucket does not exist');
  const uploads = [...uploadsOf(stores).values()].filter((one) => one.bucket === bucket);
  return listUploads(bucket, query, uploads);
};

/** S3's rules of a completion concern the body. */
app.addHook('preHandler', async ({ raw: { method, url }, body }) => {
  const upload = uploadOf(queryOf(url));
  if (method === 'POST' && upload) checkCompletion(String(body), upload);
});

/**
 * A disconnected consumer would take its next message with it. So all waiting requests for the queue get an empty
 * response, and connected consumers poll again.
 */
app.addHook('preHandler', async ({ body }, { raw }) => {
  const { QueueUrl } = (body ?? {}) as { QueueUrl?: string };
  if (QueueUrl === undefined) return;
  raw.once('close', () => {
    if (!raw.writableFinished) stores.sqsStore.getQueue(QueueUrl)?.cancelWaiters();
  });
});

/** Adds the headers that the engine omits from a download: the headers in its URL, and the bucket's CORS header. */
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
