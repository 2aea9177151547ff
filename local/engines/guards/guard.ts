import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '#local/gateway/event.ts';

/** An error response of the guard, in AWS's format. */
export class GuardError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** `url` is the path and the query as sent. */
export interface GuardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Needed to verify a signature that covers the body itself. */
  readonly body?: Buffer;
}

/** The engine reads a body into memory. A part of 8 MiB with its framing is smaller than this. */
const MAX_REQUEST_BYTES = 11 * 1024 * 1024;

/** The SQS operations of the service and its tests. */
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

/** The S3 operations of the service and its tests: method, target, and the query parameters that select the operation. */
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

/** Query parameters that do not select another operation: of signatures, downloads and pages. */
const PLAIN_PARAMETER =
  /^(x-amz-.*|x-id|response-content-(disposition|type)|prefix|max-keys|continuation-token|max-uploads|key-marker|upload-id-marker)$/i;

/** The `x-amz-` headers that the engine supports. */
const SUPPORTED_HEADERS =
  /^x-amz-(content-sha256|date|security-token|user-agent|checksum-.*|sdk-checksum-algorithm|decoded-content-length|trailer|meta-.*)$/;

/** A bucket and an optional key. The engine's own pages do not match. */
const TARGET = /^\/[a-z0-9][a-z0-9.-]+(\/(?<key>.*))?$/;

const isIgnoredHeader = (header: string, method: string): boolean =>
  header.startsWith('x-amz-')
    ? !SUPPORTED_HEADERS.test(header)
    : header.startsWith('if-') && method !== 'GET' && method !== 'HEAD';

const notImplemented = (operation: string): GuardError =>
  new GuardError(501, 'NotImplemented', `The embedded engine does not support ${operation} (see docs/engines.md).`);

const queueAction = ({ headers }: GuardedRequest): string => {
  const action = String(headers['x-amz-target']).replace(/^AmazonSQS\./, '');
  if (headers['content-type'] === 'application/x-amz-json-1.0' && QUEUE_ACTIONS.has(action)) return action;
  throw notImplemented(action);
};

const fileAction = ({ method, url, headers }: GuardedRequest): string => {
  const { path, query } = splitTarget(url);
  const target = TARGET.exec(path)?.groups?.['key'] ? 'object' : 'bucket';
  const parameters = [...new Set(new URLSearchParams(query).keys())]
    .filter((name) => !PLAIN_PARAMETER.test(name))
    .sort();
  const operation = [method, target, ...parameters].join(' ');
  const action = FILE_ACTIONS[operation];
  const unsupported = Object.keys(headers).find((name) => isIgnoredHeader(name, method));
  if (!action || !TARGET.test(path)) throw notImplemented(operation);
  if (unsupported) throw notImplemented(`${action} with ${unsupported}`);
  return action;
};

/**
 * The operation of a request to SQS or S3.
 * @throws GuardError 501 for an operation that the engine does not implement as AWS does, 400 for a body that is too
 * large
 */
export const actionOf = (request: GuardedRequest): string => {
  const { method, url, headers } = request;
  if (Number(headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) {
    throw new GuardError(
      400,
      'EntityTooLarge',
      `The embedded engine accepts at most ${MAX_REQUEST_BYTES} bytes in a request.`,
    );
  }
  return method === 'POST' && url === '/' ? queueAction(request) : fileAction(request);
};
