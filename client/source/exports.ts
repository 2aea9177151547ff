import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { CallOptions } from './attempt.ts';
import { memberPath } from './collection.ts';
import { InvoicingError } from './error.ts';
import { OPERATIONS } from './operations.ts';
import { pause, retryAfterOf } from './retry.ts';
import type { Shape } from './shapes.ts';
import type { Transport } from './transport.ts';
import type { ExportV1 } from './types.ts';

export interface WaitOptions<J> extends CallOptions {
  /** Called with the export after every poll. */
  readonly onProgress?: ((job: J) => void) | undefined;
}

export interface ExportFiles<S extends Shape> {
  /**
   * Polls an export after `Retry-After` seconds until it is completed.
   * @throws InvoicingError `export-failed` with the reason; `export-canceled`
   */
  wait(id: number, options?: WaitOptions<S['member']>): Promise<S['member']>;
  /**
   * Downloads the file of a completed export. If the SHA-256 is wrong, the stream ends with the error
   * `checksum-mismatch`: do not use the file before the stream has ended without an error.
   */
  download(id: number, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

export const exportFiles = <S extends Shape>({ send, open }: Transport): ExportFiles<S> => {
  const poll = (id: number, options?: CallOptions) =>
    send<Job & S['member']>(
      { method: 'GET', path: memberPath(PATH, id), status: STATUSES.get, property: 'id' },
      options,
    );

  /** A browser hides `Location`, and follows the redirect itself, without the token (Fetch, HTTP-redirect fetch). */
  const openFile = async (id: number, options?: CallOptions): Promise<Response> => {
    const path = `${memberPath(PATH, id)}/file`;
    const request = { method: 'GET', path, status: STATUSES.file, header: 'location' } as const;
    const { response } = await send(request, options);
    const location = response.headers.get('location');
    if (location === null) return (await send({ ...request, redirect: 'follow' }, options)).response;
    return open(location, options);
  };

  return {
    async wait(id, options = {}) {
      for (;;) {
        const { data, response } = await poll(id, options);
        options.onProgress?.(data);
        if (data.status === 'completed') return data;
        if (data.status === 'failed')
          throw new InvoicingError('export-failed', data.error?.detail ?? 'the service gave no reason');
        if (data.status === 'canceled') throw new InvoicingError('export-canceled', 'the export was canceled');
        await pause(retryAfterOf(response.headers) ?? POLL_MS, options.signal);
      }
    },
    async download(id, options = {}) {
      const { data } = await poll(id, options);
      const { body } = await openFile(id, options);
      if (!body || data.sha256 === null) throw new InvoicingError('unexpected-answer', 'the export has no file');
      return verifyDigest(body, data.sha256, options);
    },
  };
};

const PATH = '/exports';

const STATUSES = OPERATIONS.exports.statuses;

type Job = Pick<ExportV1, 'status' | 'sha256' | 'error'>;

/** Used when the response has no `Retry-After`. */
const POLL_MS = 2000;

/** Passes the bytes through, and fails at the end if their SHA-256 differs from the expected value. */
const verifyDigest = (
  body: ReadableStream<Uint8Array>,
  expected: string,
  { signal }: CallOptions,
): ReadableStream<Uint8Array> => {
  const hash = sha256.create();
  const reader = body.getReader();
  const next = async () => {
    try {
      return await reader.read();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new InvoicingError('network-error', 'the download was interrupted', { cause });
    }
  };
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await next();
      if (!done) {
        hash.update(value);
        controller.enqueue(value);
        return;
      }
      const actual = bytesToHex(hash.digest());
      if (actual !== expected) throw new InvoicingError('checksum-mismatch', `SHA-256 is ${actual}, not ${expected}`);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
};
