import type { Upload } from '#shared/invoicing/exports/rules.ts';
import type { OtherStores } from '#shared/platform/declarations/store-methods.ts';

/** The upload or the object of a checkpoint no longer exists: the file must start again. */
export class UploadGoneError extends Error {}

type Files = Pick<OtherStores['files'], 'beginUpload' | 'uploadPart'>;

/** S3 rejects a part below 5 MiB, except the last part. Larger parts need fewer calls. */
export const PART_BYTES = 8 * 2 ** 20;
/** The size doubles after this number of parts, so 10,000 parts, the maximum of S3, hold 292 GiB (docs/scaling.md). */
const DOUBLING_PARTS = 2500;

export class MultipartUpload {
  readonly #files: Files;
  readonly #key: string;
  readonly #type: string;
  readonly #firstSize: number;
  #upload: Upload | undefined;

  /** @param key the key of a new upload; an existing `upload` has its own key */
  constructor(files: Files, key: string, type: string, upload: Upload | undefined, firstSize: number = PART_BYTES) {
    this.#files = files;
    this.#key = key;
    this.#type = type;
    this.#firstSize = firstSize;
    this.#upload = upload;
  }

  /** Undefined until the first part is stored. */
  get state(): Upload | undefined {
    return this.#upload;
  }

  /** The minimum size of the next part, in bytes. */
  get size(): number {
    const count = this.#upload?.etags.length ?? 0;
    return this.#firstSize * 2 ** Math.floor(count / DOUBLING_PARTS);
  }

  /**
   * Stores the next part. An attempt that has lost its lease may still store a part with the same number. S3 keeps the
   * later part, and completes the upload only with the ETag of this part.
   * @throws UploadGoneError when the upload no longer exists
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
