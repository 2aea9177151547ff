import { type Checkpoint, completedFields, JOB_USES, writtenFields } from '#shared/invoicing/exports/job.ts';
import { type Lines, linesOf } from '#shared/invoicing/exports/lines.ts';
import { rowsOf } from '#shared/invoicing/exports/range.ts';
import { EXPORTED } from '#shared/invoicing/exports/resource.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, type ExportType } from '#shared/invoicing/index.ts';
import type { Lease } from '#shared/platform/jobs/lease.ts';
import { attributesOf } from '#shared/platform/resource.ts';
import type { QueueMessage, StoresOf } from '#shared/platform/worker.ts';
import { FileBuffer } from './file-buffer.ts';
import { Parts, UploadGoneError } from './multipart-upload.ts';

const ROWS = Object.fromEntries(EXPORT_TYPES.map((type) => [type, ['rows']])) as Record<ExportType, ['rows']>;

/** What the export worker uses: every table that can be exported, the jobs and the files. */
export const USES = {
  ...JOB_USES,
  ...ROWS,
  files: ['put', 'read', 'beginUpload', 'uploadPart', 'completeUpload'],
} as const;

/** With less time left than this, another call of the function continues the file. */
const RELEASE_MARGIN_MS = 30_000;
/** S3 may take minutes to complete an upload: with less time left than this, another call of the function does it. */
const COMPLETION_MARGIN_MS = 150_000;

/** One attempt at a job's file, from where the last attempt stopped (CONTRACT §9). */
export class Attempt {
  readonly #lease: Lease<Export>;
  readonly #message: Pick<QueueMessage, 'remaining'>;
  readonly #stores: StoresOf<typeof USES>;
  readonly #partBytes: number | undefined;
  readonly #lines: Lines;
  #parts: Parts;
  /** The part that is being stored while the next rows are read. */
  #storing: Promise<void> = Promise.resolve();

  constructor(
    lease: Lease<Export>,
    message: Pick<QueueMessage, 'remaining'>,
    stores: StoresOf<typeof USES>,
    partBytes?: number,
  ) {
    const { type, format, columns = [] } = lease.job;
    this.#lease = lease;
    this.#message = message;
    this.#stores = stores;
    this.#partBytes = partBytes;
    this.#lines = linesOf(EXPORTED[type], format, columns);
    this.#parts = this.#partsOf(lease.job);
  }

  /**
   * Writes the file, or as much of it as the time allows.
   * @throws LeaseLostError when the job is no longer this attempt's
   */
  async run(): Promise<void> {
    try {
      await this.#write().catch((error) => this.#restart(error));
    } finally {
      // Nothing of this attempt may still be running when the function has answered.
      await this.#storing.catch(() => {});
    }
  }

  async #restart(error: unknown): Promise<void> {
    if (!(error instanceof UploadGoneError)) throw error;
    // The part that was being stored has failed for the same reason.
    await this.#storing.catch(() => {});
    this.#storing = Promise.resolve();
    await this.#lease.restart(writtenFields(undefined));
    this.#parts = this.#partsOf(this.#lease.job);
    await this.#write();
  }

  async #write(): Promise<void> {
    const { checkpoint } = this.#lease.job;
    if (checkpoint?.sha256) return this.#complete(checkpoint);
    const buffer = await this.#open(checkpoint);
    for await (const { rows, after } of this.#rows(buffer.after)) {
      buffer.append(rows, after);
      if (buffer.bytes >= this.#parts.size) await this.#store(buffer);
      this.#lease.signal.throwIfAborted();
      if (this.#message.remaining() < RELEASE_MARGIN_MS) return this.#storeRest(buffer);
    }
    await this.#finish(buffer);
  }

  async #open(checkpoint: Checkpoint | undefined): Promise<FileBuffer> {
    const rest = checkpoint?.rest && (await this.#stores.files.read(checkpoint.rest.key));
    if (checkpoint?.rest && !rest) throw new UploadGoneError();
    return FileBuffer.open(this.#lines, checkpoint, rest);
  }

  #rows(after: number) {
    const { type, columns = [] } = this.#lease.job;
    const { from, ...range } = rowsOf(this.#lease.job);
    const attributes = attributesOf(EXPORTED[type].fields.v1, columns);
    return this.#stores[type].rows({ ...range, from: Math.max(from, after + 1), attributes });
  }

  /** Stores the buffer as a part, one at a time, and commits a checkpoint after it. */
  async #store(buffer: FileBuffer): Promise<void> {
    const bytes = buffer.take();
    const position = buffer.position();
    await this.#storing;
    this.#storing = this.#parts
      .add(bytes)
      .then(() => this.#lease.progress(writtenFields({ ...position, upload: this.#parts.upload })));
    // It is waited for later.
    this.#storing.catch(() => {});
  }

  /** Stores what is too small for a part beside the upload, for the next attempt. */
  async #storeRest(buffer: FileBuffer): Promise<void> {
    await this.#storing;
    const rest = buffer.bytes > 0 ? { key: this.#name('rest'), bytes: buffer.bytes } : undefined;
    const position = buffer.position();
    if (rest) await this.#stores.files.put(rest.key, buffer.take(), this.#lines.type);
    await this.#lease.release(writtenFields({ ...position, upload: this.#parts.upload, rest }));
  }

  async #finish(buffer: FileBuffer): Promise<void> {
    await this.#storing;
    if (!this.#parts.upload) return this.#put(buffer);
    if (buffer.bytes > 0) await this.#parts.add(buffer.take());
    const checkpoint = { ...buffer.position(), upload: this.#parts.upload, sha256: buffer.sha256() };
    await this.#lease.progress(writtenFields(checkpoint));
    if (this.#message.remaining() < COMPLETION_MARGIN_MS) return this.#lease.release(writtenFields(checkpoint));
    await this.#complete(checkpoint);
  }

  /** A file smaller than a part is one object from the start. */
  async #put(buffer: FileBuffer): Promise<void> {
    const file = { key: this.#name(this.#lease.job.format), row_count: buffer.row_count, size_bytes: buffer.bytes };
    await this.#stores.files.put(file.key, buffer.take(), this.#lines.type);
    const sha256 = buffer.sha256();
    await this.#lease.end((at) => completedFields({ ...file, sha256 }, at));
  }

  async #complete({ upload, row_count, sha256 = '' }: Checkpoint): Promise<void> {
    if (!upload) throw new UploadGoneError();
    if (!(await this.#stores.files.completeUpload(upload, this.#lease.signal))) throw new UploadGoneError();
    const file = { key: upload.key, row_count, size_bytes: upload.bytes, sha256 };
    await this.#lease.end((at) => completedFields(file, at));
  }

  #partsOf({ checkpoint, format }: Export): Parts {
    return new Parts(this.#stores.files, this.#name(format), this.#lines.type, checkpoint?.upload, this.#partBytes);
  }

  /** Names are an attempt's own, so that no attempt writes over the object of another. */
  #name(extension: string): string {
    const { id, attempt } = this.#lease.job;
    return `${id}/${attempt}.${extension}`;
  }
}
