import type { Upload } from '#shared/invoicing/exports/job.ts';
import type { WorkerStores } from '#shared/platform/worker.ts';

/** The upload or the object of a checkpoint no longer exists: the file must be begun again. */
export class UploadGoneError extends Error {}

type Files = Pick<WorkerStores['files'], 'beginUpload' | 'uploadPart'>;

/** S3 rejects a part below 5 MiB unless it is the last; larger parts need fewer calls. */
export const PART_BYTES = 8 * 2 ** 20;
/** After so many parts their size doubles: 10,000 parts, the most that S3 takes, hold 292 GiB (docs/scaling.md). */
const DOUBLING_PARTS = 2500;

/** A file in S3 that is written in parts, or continued where a former attempt stopped. */
export class Parts {
  readonly #files: Files;
  readonly #key: string;
  readonly #type: string;
  readonly #firstSize: number;
  #upload: Upload | undefined;

  /** @param key the name of the file, where there is no upload yet */
  constructor(files: Files, key: string, type: string, upload: Upload | undefined, firstSize: number = PART_BYTES) {
    this.#files = files;
    this.#key = key;
    this.#type = type;
    this.#firstSize = firstSize;
    this.#upload = upload;
  }

  /** What is uploaded so far; nothing before the first part. */
  get upload(): Upload | undefined {
    return this.#upload;
  }

  /** The least size of the next part, in bytes. */
  get size(): number {
    const count = this.#upload?.etags.length ?? 0;
    return this.#firstSize * 2 ** Math.floor(count / DOUBLING_PARTS);
  }

  /**
   * Stores the next part. Another attempt that has lost its lease may still store a part of the same number: S3 then
   * holds the part that came last, and refuses to complete the upload unless that is the part of this ETag.
   * @throws UploadGoneError when there is no such upload any more
   */
  async add(bytes: Uint8Array): Promise<void> {
    const { id, key, etags, bytes: before } = this.#upload ?? (await this.#begin());
    const etag = await this.#files.uploadPart(key, id, etags.length + 1, bytes);
    if (!etag) throw new UploadGoneError();
    this.#upload = { id, key, etags: [...etags, etag], bytes: before + bytes.length };
  }

  async #begin(): Promise<Upload> {
    return { id: await this.#files.beginUpload(this.#key, this.#type), key: this.#key, etags: [], bytes: 0 };
  }
}
