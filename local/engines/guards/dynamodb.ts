import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { endConnection } from '#local/cli/linger.ts';
import type { DynamoEngine, RunningEngine } from '#local/engines/engine.ts';
import { GuardError, type GuardedRequest } from './guard.ts';
import { checkOrigin } from './origin.ts';
import { type Keys, verify } from './signature.ts';

// The engine answers any web page and checks no signature. The guard checks each request and forwards its bytes: if
// node:http parsed and sent it, a call would take almost twice as long.

const HOST = '127.0.0.1';
/** DynamoDB accepts 16 MB in one request. */
const MAX_BODY_BYTES = 17 * 1024 * 1024;
const MAX_HEAD_BYTES = 64 * 1024;

/**
 * Opens a port of the loopback that forwards requests to DynamoDB, if they are signed with these keys and do not come
 * from a web page.
 */
export const guardDynamo = async (engine: DynamoEngine, keys: Keys): Promise<RunningEngine> => {
  const { hostname, port } = new URL(engine.endpoint);
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    forward(client, upstream, keys, engine.accessKeyId);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve));
  return {
    endpoint: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    ended: engine.ended,
    stop: () => {
      server.close();
      return engine.stop();
    },
  };
};

/** Forwards the requests of one connection in order, and every response. */
const forward = (client: Socket, upstream: Socket, keys: Keys, accessKeyId?: string): void => {
  const address = `${HOST}:${client.localPort}`;
  upstream.once('error', () => client.destroy()).once('close', () => client.destroy());
  client.once('error', () => upstream.destroy()).once('close', () => upstream.destroy());
  upstream.pipe(client);
  let received: Buffer = Buffer.alloc(0);
  client
    .on('end', () => upstream.end())
    .on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      try {
        for (let request = takeRequest(received); request; request = takeRequest(received)) {
          checkOrigin(request, address);
          verify(request, keys, 'dynamodb');
          upstream.write(accessKeyId ? withCredential(request, accessKeyId) : request.bytes);
          received = received.subarray(request.bytes.length);
        }
      } catch (error) {
        if (!(error instanceof GuardError)) throw error;
        upstream
          .unpipe(client)
          .removeAllListeners()
          .on('error', () => {})
          .destroy();
        endConnection(client.removeAllListeners('data'), errorResponse(error));
      }
    });
};

interface ReceivedRequest extends GuardedRequest {
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** DynamoDB Local selects the data by the access key and the region of the Authorization header. */
const withCredential = ({ bytes, body }: ReceivedRequest, accessKeyId: string): Buffer => {
  const head = bytes.toString('latin1', 0, bytes.length - body.length);
  const credential = /^(authorization:[^\r]*\bCredential=)[^/\r]+(\/\d+\/)[^/\r]+/im;
  return Buffer.concat([Buffer.from(head.replace(credential, `$1${accessKeyId}$2local`), 'latin1'), body]);
};

const invalid = (message: string): GuardError => new GuardError(400, 'SerializationException', message);

const takeRequest = (received: Buffer): ReceivedRequest | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0 && received.length <= MAX_HEAD_BYTES) return undefined;
  if (end < 0 || end > MAX_HEAD_BYTES) throw invalid('The headers are too long.');
  const head = headOf(received.toString('latin1', 0, end));
  const bodyAt = end + 4;
  const whole = bodyAt + lengthOf(head.headers);
  if (received.length < whole) return undefined;
  return { ...head, body: received.subarray(bodyAt, whole), bytes: received.subarray(0, whole) };
};

const headOf = (text: string): GuardedRequest => {
  const [start = '', ...lines] = text.split('\r\n');
  const [method = '', url = ''] = start.split(' ');
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, name = '', value] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (value === undefined || name.toLowerCase() in headers) throw invalid(`A header is malformed: ${name}`);
    headers[name.toLowerCase()] = value;
  }
  return { method, url, headers };
};

const lengthOf = (headers: IncomingHttpHeaders): number => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined || !/^\d{1,9}$/.test(length)) throw invalid('A request needs a Content-Length.');
  if (Number(length) > MAX_BODY_BYTES) throw invalid(`A request may have at most ${MAX_BODY_BYTES} bytes.`);
  return Number(length);
};

const errorResponse = ({ status, code, message }: GuardError): string => {
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/x-amz-json-1.0',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};
