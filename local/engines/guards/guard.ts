import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '#local/gateway/event.ts';

/** An answer in the engine's place, in the words of AWS. */
export class GuardError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What of a request the guard judges; `url` is its path and query as sent. */
export interface GuardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Needed to verify a signature that covers the body itself. */
  readonly body?: Buffer;
}

/** The engine reads a body whole: a part of 8 MiB with its framing is below this. */
const MAX_REQUEST_BYTES = 11 * 1024 * 1024;

/** What the service and its tests ask of SQS. */
const QUEUE_ACTIONS = new Set([
  'CreateQueue',
  'GetQueueUrl',
  'GetQueueAttributes',
  'SetQueueAttributes',
  'SendMessage',
  'ReceiveMessage',
  'ChangeMessageVisibility',
  'DeleteMessageBatch',
  'PurgeQueue',
]);

/** What they ask of S3: the method, what it is done to, and the parameters that make it this very operation. */
const FILE_ACTIONS: Readonly<Record<string, string>> = {
  'PUT bucket': 'CreateBucket',
  'HEAD bucket': 'HeadBucket',
  'GET bucket list-type': 'ListObjectsV2',
  'GET bucket uploads': 'ListMultipartUploads',
  'PUT object': 'PutObject',
  'GET object': 'GetObject',
  'HEAD object': 'HeadObject',
  'DELETE object': 'DeleteObject',
  'POST object uploads': 'CreateMultipartUpload',
  'PUT object partNumber uploadId': 'UploadPart',
  'POST object uploadId': 'CompleteMultipartUpload',
  'DELETE object uploadId': 'AbortMultipartUpload',
};

/** The signature's parameters, a download's headers and a listing's bounds: they make no other operation. */
const PLAIN_PARAMETER =
  /^(x-amz-.*|x-id|response-content-(disposition|type)|prefix|max-keys|continuation-token|max-uploads|key-marker|upload-id-marker)$/i;

/** Of the headers that change what S3 does, those which the engine heeds. */
const SUPPORTED_HEADERS =
  /^x-amz-(content-sha256|date|security-token|user-agent|checksum-.*|sdk-checksum-algorithm|decoded-content-length|trailer|meta-.*)$/;

/** A bucket and perhaps a key in it; the engine's own pages are no buckets. */
const TARGET = /^\/[a-z0-9][a-z0-9.-]+(\/(?<key>.*))?$/;

const isIgnoredHeader = (header: string, method: string): boolean =>
  header.startsWith('x-amz-')
    ? !SUPPORTED_HEADERS.test(header)
    : header.startsWith('if-') && method !== 'GET' && method !== 'HEAD';

const notImplemented = (what: string): GuardError =>
  new GuardError(501, 'NotImplemented', `The embedded engine does not do ${what}: see docs/engines.md.`);

const queueAction = ({ headers }: GuardedRequest): string => {
  const action = String(headers['x-amz-target']).replace(/^AmazonSQS\./, '');
  if (headers['content-type'] === 'application/x-amz-json-1.0' && QUEUE_ACTIONS.has(action)) return action;
  throw notImplemented(action);
};

const fileAction = ({ method, url, headers }: GuardedRequest): string => {
  const { path, query } = splitTarget(url);
  const target = TARGET.exec(path)?.groups?.['key'] ? 'object' : 'bucket';
  const telling = [...new Set(new URLSearchParams(query).keys())].filter((name) => !PLAIN_PARAMETER.test(name)).sort();
  const operation = [method, target, ...telling].join(' ');
  const action = FILE_ACTIONS[operation];
  const unheeded = Object.keys(headers).find((name) => isIgnoredHeader(name, method));
  if (!action || !TARGET.test(path)) throw notImplemented(operation);
  if (unheeded) throw notImplemented(`${action} with ${unheeded}`);
  return action;
};

/**
 * The operation that a request asks for; of S3 and SQS, it lets through only what the engine does as AWS does it.
 * @throws Refused 501 for any other, 400 for too large a body
 */
export const actionOf = (request: GuardedRequest): string => {
  const { method, url, headers } = request;
  if (Number(headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) {
    throw new GuardError(400, 'EntityTooLarge', `The embedded engine takes ${MAX_REQUEST_BYTES} bytes at once.`);
  }
  return method === 'POST' && url === '/' ? queueAction(request) : fileAction(request);
};
