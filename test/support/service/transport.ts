import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** A request as a test describes it. */
export interface RequestParts {
  /** Default: GET. */
  readonly method?: string;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A string or a Buffer is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** A request as the client of a test sends it. */
export interface SentRequest {
  readonly method: string;
  /** The path and the query, sent unchanged. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export const toSentRequest = (target: string, { method = 'GET', headers, body }: RequestParts = {}): SentRequest => {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const all = Object.entries({ ...(isJson && { 'content-type': 'application/json' }), ...headers });
  return {
    method,
    target,
    headers: Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as string | Buffer) }),
  };
};

export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Answer extends ReceivedResponse {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
  readonly json: any;
}

export const toAnswer = (response: ReceivedResponse): Answer => {
  const isJson = /json/.test(response.headers['content-type'] ?? '') && response.text !== '';
  return { ...response, json: isJson ? JSON.parse(response.text) : undefined };
};

/**
 * Sends one request to the service. @param remaining the remaining time of the function in this process, in
 * milliseconds
 */
export type Transport = (request: SentRequest, remaining?: number) => Promise<ReceivedResponse>;

/** Headers that Node's server, API Gateway and CloudFront add. */
const TRANSFER =
  /^(date|connection|keep-alive|transfer-encoding|apigw-requestid|server|via|age|x-cache|x-amz-cf-.*|x-amzn-.*|strict-transport-security)$/;

/** The headers of a response that the service itself writes. */
export const ownHeaders = ({ headers }: Pick<ReceivedResponse, 'headers'>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !TRANSFER.test(name)));

/** Compares a response with docs/openapi.json. The schemas load at the first use, because few test files need them. */
export const compareWithDocument = async (
  request: Pick<SentRequest, 'method' | 'target'>,
  response: ReceivedResponse,
): Promise<void> => {
  const { checkDocumented } = await import('#test/support/documents/check-documented.ts');
  checkDocumented(request, response);
};

const TIMEOUT_MS = 35_000;

const readResponse = async (response: IncomingMessage): Promise<ReceivedResponse> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  const body = Buffer.concat(chunks);
  const isCompressed = response.headers['content-encoding'] === 'gzip' && body.length > 0;
  return {
    status: response.statusCode as number,
    headers: Object.fromEntries(headers),
    text: (isCompressed ? gunzipSync(body) : body).toString(),
  };
};

/** Node's own client: fetch normalizes the path and refuses some methods. */
export const httpTransport = (address: string): Transport => {
  const { protocol, hostname, port, pathname } = new URL(address);
  const isHttps = protocol === 'https:';
  const agent = new (isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const open = isHttps ? requestHttps : requestHttp;
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const path = `${pathname.replace(/\/$/, '')}${target}`;
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, hostname, port, path, agent, headers: { ...headers, ...length }, timeout: TIMEOUT_MS };
      const request = open(options, (response) => void readResponse(response).then(resolve, reject));
      request.once('timeout', () => request.destroy(new Error(`${method} ${target}: no response in ${TIMEOUT_MS} ms`)));
      request.once('error', reject);
      request.end(body);
    });
};
