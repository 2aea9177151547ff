import type { CallOptions } from './attempt.ts';
import { cancelable, creatable, readable } from './collection.ts';
import { InvoicingError } from './error.ts';
import { pause, retryAfterOf } from './retry.ts';
import { sha256 } from './sha256.ts';
import type { Cancelable, Creatable, Readable, Shape, Whole } from './shapes.ts';
import type { Transport } from './transport.ts';
import type { ExportV1 } from './types.ts';

/** What of an export its course depends on. */
type Job = Pick<ExportV1, 'status' | 'sha256' | 'error'>;

export interface WaitOptions<J> extends CallOptions {
  /** Is told of the export at every look. */
  readonly onProgress?: ((job: J) => void) | undefined;
}

export interface Exports<S extends Shape> extends Readable<S>, Creatable<S>, Cancelable<S> {
  /**
   * Waits until an export is completed, and looks as often as the service asks to.
   * @throws InvoicingError `export-failed` with the reason, `export-canceled`
   */
  wait(id: number, options?: WaitOptions<Whole<S>>): Promise<Whole<S>>;
  /**
   * Downloads the file of a completed export. The stream fails at its end with `checksum-mismatch` when its bytes are
   * not those that were written; so let nobody see the file before the stream has ended well.
   */
  download(id: number, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

/** How often to look when the service does not say. */
const USUAL_WAIT_MS = 2000;

/** Passes bytes on as they are asked for, and fails in place of ending when they are others than expected. */
const verifyDigest = (
  body: ReadableStream<Uint8Array>,
  expected: string,
  { signal }: CallOptions,
): ReadableStream<Uint8Array> => {
  const hash = sha256();
  const reader = body.getReader();
  const next = async () => {
    try {
      return await reader.read();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new InvoicingError('network-error', 'the download broke off', { cause });
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
      const found = hash.digest();
      if (found !== expected) throw new InvoicingError('checksum-mismatch', `SHA-256 is ${found}, not ${expected}`);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
};

/** The exports of a version. */
export const exportsOf = <S extends Shape>({ send, open }: Transport): Exports<S> => {
  const path = '/exports';

  const look = (id: number, options?: CallOptions) => send<Job>({ method: 'GET', path: `${path}/${id}` }, options);

  /** A browser hides where a redirect leads, and follows it by itself, without the token (Fetch, HTTP-redirect fetch). */
  const opened = async (id: number, options?: CallOptions): Promise<Response> => {
    const sent = { method: 'GET', path: `${path}/${id}/file` };
    const { response } = await send({ ...sent, redirect: 'manual' }, options);
    const location = response.headers.get('location');
    if (location === null) return (await send({ ...sent, redirect: 'follow' }, options)).response;
    return open(location, options);
  };

  return {
    ...readable<S>(send, path),
    ...creatable<S>(send, path),
    ...cancelable<S>(send, path),
    async wait(id, options = {}) {
      for (;;) {
        const { data, response } = await look(id, options);
        options.onProgress?.(data as never);
        if (data.status === 'completed') return data as never;
        if (data.status === 'failed')
          throw new InvoicingError('export-failed', data.error?.detail ?? 'no reason given');
        if (data.status === 'canceled') throw new InvoicingError('export-canceled', 'somebody has canceled it');
        await pause(retryAfterOf(response.headers) ?? USUAL_WAIT_MS, options.signal);
      }
    },
    async download(id, options = {}) {
      const { data } = await look(id, options);
      const { body } = await opened(id, options);
      if (!body || data.sha256 === null) throw new InvoicingError('unexpected-answer', 'the export has no file');
      return verifyDigest(body, data.sha256, options);
    },
  };
};
