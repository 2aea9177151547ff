import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { exportedResource } from '#shared/invoicing/exported-resources.ts';
import { JOB_USES } from '#shared/invoicing/exports/job.ts';
import { type Lines, linesOf } from '#shared/invoicing/exports/lines.ts';
import { rowsOf } from '#shared/invoicing/exports/range.ts';
import type { Checkpoint, Export } from '#shared/invoicing/exports/rules.ts';
import { EXPORTED, type ExportType, exportedEntry } from '#shared/invoicing/index.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { attributesOf, type Field, requestSchema } from '#shared/platform/wire/field.ts';
import { valuesOf } from '#shared/platform/wire/several-values.ts';
import { FileBuffer } from './file-buffer.ts';
import type { Lease } from './lease.ts';
import { MultipartUpload, UploadGoneError } from './multipart-upload.ts';

type ExportedTable = (typeof EXPORTED)[ExportType]['table'];

const ROWS = Object.fromEntries(Object.values(EXPORTED).map(({ table }) => [table, ['rows']])) as Record<
  ExportedTable,
  ['rows']
>;

export const EXPORT_USES = {
  ...JOB_USES,
  exports: [...JOB_USES.exports, 'count'],
  ...ROWS,
  files: ['put', 'read', 'beginUpload', 'uploadPart', 'completeUpload'],
} as const;

/** With less time left, the attempt releases the job, and another invocation continues the file. */
const RELEASE_MARGIN_MS = 30_000;
/** S3 can take minutes to complete an upload. With less time left, another invocation completes it. */
const COMPLETION_MARGIN_MS = 150_000;

/** One attempt to write a job's file. It continues at the checkpoint of the last attempt (CONTRACT §9). */
export class Attempt {
  readonly #lease: Lease;
  readonly #message: Pick<QueueMessage, 'remaining'>;
  readonly #stores: StoresOf<typeof EXPORT_USES>;
  readonly #partBytes: number | undefined;
  readonly #lines: Lines;
  #upload: MultipartUpload;
  /** The part that is being stored while the next rows are read. */
  #storing: Promise<void> = Promise.resolve();

  constructor(
    lease: Lease,
    message: Pick<QueueMessage, 'remaining'>,
    stores: StoresOf<typeof EXPORT_USES>,
    partBytes?: number,
  ) {
    const { type, format, columns = [] } = lease.job;
    this.#lease = lease;
    this.#message = message;
    this.#stores = stores;
    this.#partBytes = partBytes;
    this.#lines = linesOf(exportedResource(type), format, columns);
    this.#upload = this.#createUpload(lease.job);
  }

  /**
   * Writes the file, or the part for which the time is enough.
   * @throws LeaseLostError when another worker has claimed the job, or it has ended
   */
  async run(): Promise<void> {
    try {
      await this.#write().catch((error) => this.#restart(error));
    } finally {
      // Lambda freezes the process after the response: wait for the last part.
      await this.#storing.catch(() => {});
    }
  }

  async #restart(error: unknown): Promise<void> {
    if (!(error instanceof UploadGoneError)) throw error;
    // The part that is being stored fails for the same reason.
    await this.#storing.catch(() => {});
    this.#storing = Promise.resolve();
    await this.#lease.restart();
    this.#upload = this.#createUpload(this.#lease.job);
    await this.#write();
  }

  async #write(): Promise<void> {
    const { checkpoint } = this.#lease.job;
    if (checkpoint?.sha256) return this.#complete(checkpoint);
    const buffer = await this.#open(checkpoint);
    for await (const { rows, after } of this.#rows(buffer.after)) {
      buffer.append(rows, after);
      if (buffer.bytes >= this.#upload.size) await this.#store(buffer);
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
    const { from, filter, ...range } = rowsOf(this.#lease.job);
    const { v1 } = exportedResource(type).fields;
    const attributes = attributesOf(v1, columns);
    const values = Object.entries(filter).map(([name, value]) => [
      name,
      valuesOf(requestSchema(v1[name] as Field), value),
    ]);
    return this.#stores[exportedEntry(type).table].rows({
      ...range,
      filter: Object.fromEntries(values),
      from: Math.max(from, after + 1),
      attributes,
      countReaders: this.#createCounter(),
    });
  }

  /**
   * Counts the exports that read the same partition; the first count includes pending exports, which may start at the
   * same time.
   */
  #createCounter() {
    const { type } = this.#lease.job;
    let statuses = ['running', 'pending'];
    return async (): Promise<number> => {
      const counts = await Promise.all(statuses.map((status) => this.#stores.exports.count({ status, type })));
      statuses = ['running'];
      return counts.reduce((sum, count) => sum + count, 0);
    };
  }

  /** Stores the buffer as a part and commits a checkpoint. Parts are stored one after the other. */
  async #store(buffer: FileBuffer): Promise<void> {
    const bytes = buffer.take();
    const position = buffer.position();
    await this.#storing;
    this.#storing = this.#upload
      .add(bytes)
      .then(() => this.#lease.saveCheckpoint({ ...position, upload: this.#upload.state }));
    // The next call awaits the part and gets its error. This handler prevents an unhandled rejection until then.
    this.#storing.catch(() => {});
  }

  /** Stores bytes that are too few for a part in a separate object, for the next attempt. */
  async #storeRest(buffer: FileBuffer): Promise<void> {
    await this.#storing;
    const rest = buffer.bytes > 0 ? { key: this.#key('rest'), bytes: buffer.bytes } : undefined;
    const position = buffer.position();
    if (rest) await this.#stores.files.put(rest.key, buffer.take(), this.#lines.type);
    await this.#lease.release({ ...position, upload: this.#upload.state, rest });
  }

  async #finish(buffer: FileBuffer): Promise<void> {
    await this.#storing;
    if (!this.#upload.state) return this.#put(buffer);
    if (buffer.bytes > 0) await this.#upload.add(buffer.take());
    const checkpoint = { ...buffer.position(), upload: this.#upload.state, sha256: buffer.sha256() };
    await this.#lease.saveCheckpoint(checkpoint);
    if (this.#message.remaining() < COMPLETION_MARGIN_MS) return this.#lease.release(checkpoint);
    await this.#complete(checkpoint);
  }

  /** Stores a file that is smaller than a part with one PutObject. */
  async #put(buffer: FileBuffer): Promise<void> {
    const file = { key: this.#key(this.#lease.job.format), row_count: buffer.row_count, size_bytes: buffer.bytes };
    await this.#stores.files.put(file.key, buffer.take(), this.#lines.type);
    await this.#lease.complete({ ...file, sha256: buffer.sha256() });
  }

  async #complete({ upload, row_count, sha256 = '' }: Checkpoint): Promise<void> {
    if (!upload || !(await this.#stores.files.completeUpload(upload, this.#lease.signal))) throw new UploadGoneError();
    await this.#lease.complete({ key: upload.key, row_count, size_bytes: upload.bytes, sha256 });
  }

  #createUpload({ checkpoint, format }: Export): MultipartUpload {
    return new MultipartUpload(
      this.#stores.files,
      this.#key(format),
      this.#lines.type,
      checkpoint?.upload,
      this.#partBytes,
    );
  }

  /** Keys contain the attempt, so that an attempt cannot overwrite the object of another attempt. */
  #key(extension: string): string {
    const { id, attempt } = this.#lease.job;
    return `${id}/${attempt}.${extension}`;
  }
}
