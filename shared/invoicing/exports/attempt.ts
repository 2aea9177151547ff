import { type Checkpoint, completed, handedOver, progressed, restarted } from '#shared/invoicing/exports/job.ts';
import { type Lines, linesOf } from '#shared/invoicing/exports/lines.ts';
import { rowsOf } from '#shared/invoicing/exports/range.ts';
import { EXPORTED } from '#shared/invoicing/exports/resource.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, type ExportType } from '#shared/invoicing/index.ts';
import { attributesOf } from '#shared/platform/resource.ts';
import type { Delivery, Reach } from '#shared/platform/worker.ts';
import { Draft } from './file-buffer.ts';
import type { Lease } from './lease.ts';
import { Gone, Parts } from './multipart-upload.ts';

const ROWS = Object.fromEntries(EXPORT_TYPES.map((type) => [type, ['rows']])) as Record<ExportType, ['rows']>;

/** What the export worker uses: every table that can be exported, the jobs and the files. */
export const USES = {
  exports: ['find', 'replace'],
  counters: ['decrement'],
  ...ROWS,
  files: ['put', 'read', 'begin', 'part', 'complete'],
} as const;

/** With less time left than this, another call of the function continues the file. */
const HAND_OVER_MS = 30_000;
/** S3 may take minutes to complete an upload: with less time left than this, another call of the function does it. */
const COMPLETE_MS = 150_000;

/** One attempt at a job's file, from where the last attempt stopped (CONTRACT §9). */
export class Attempt {
  readonly #lease: Lease;
  readonly #work: Delivery;
  readonly #places: Reach<typeof USES>;
  readonly #partBytes: number | undefined;
  readonly #lines: Lines;
  #parts: Parts;
  /** The part that is being stored while the next rows are read. */
  #storing: Promise<void> = Promise.resolve();

  constructor(lease: Lease, work: Delivery, places: Reach<typeof USES>, partBytes?: number) {
    const { type, format, columns = [] } = lease.job;
    this.#lease = lease;
    this.#work = work;
    this.#places = places;
    this.#partBytes = partBytes;
    this.#lines = linesOf(EXPORTED[type], format, columns);
    this.#parts = this.#partsOf(lease.job);
  }

  /**
   * Writes the file, or as much of it as the time allows.
   * @throws Lost when the job is no longer this attempt's
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
    if (!(error instanceof Gone)) throw error;
    // The part that was being stored has failed for the same reason.
    await this.#storing.catch(() => {});
    this.#storing = Promise.resolve();
    await this.#lease.advance(restarted);
    this.#parts = this.#partsOf(this.#lease.job);
    await this.#write();
  }

  async #write(): Promise<void> {
    const { checkpoint } = this.#lease.job;
    if (checkpoint?.sha256) return this.#complete(checkpoint);
    const draft = await this.#open(checkpoint);
    for await (const { rows, after } of this.#rows(draft.after)) {
      draft.append(rows, after);
      if (draft.bytes >= this.#parts.size) await this.#store(draft);
      this.#lease.signal.throwIfAborted();
      if (this.#work.remaining() < HAND_OVER_MS) return this.#leave(draft);
    }
    await this.#finish(draft);
  }

  async #open(checkpoint: Checkpoint | undefined): Promise<Draft> {
    const rest = checkpoint?.rest && (await this.#places.files.read(checkpoint.rest.key));
    if (checkpoint?.rest && !rest) throw new Gone();
    return Draft.open(this.#lines, checkpoint, rest);
  }

  #rows(after: number) {
    const { type, columns = [] } = this.#lease.job;
    const { from, ...range } = rowsOf(this.#lease.job);
    const attributes = attributesOf(EXPORTED[type].fields.v1, columns);
    return this.#places[type].rows({ ...range, from: Math.max(from, after + 1), attributes });
  }

  /** Stores the draft as a part, one at a time, and commits a checkpoint after it. */
  async #store(draft: Draft): Promise<void> {
    const bytes = draft.take();
    const mark = draft.mark();
    await this.#storing;
    this.#storing = this.#parts
      .add(bytes)
      .then(() => this.#lease.advance((job, at) => progressed(job, { ...mark, upload: this.#parts.upload }, at)));
    // It is waited for later.
    this.#storing.catch(() => {});
  }

  /** Stores what is too small for a part beside the upload, for the next attempt. */
  async #leave(draft: Draft): Promise<void> {
    await this.#storing;
    const rest = draft.bytes > 0 ? { key: this.#name('rest'), bytes: draft.bytes } : undefined;
    const mark = draft.mark();
    if (rest) await this.#places.files.put(rest.key, draft.take(), this.#lines.type);
    await this.#handOver({ ...mark, upload: this.#parts.upload, rest });
  }

  async #handOver(checkpoint: Checkpoint): Promise<void> {
    await this.#lease.advance((job, at) => handedOver(job, checkpoint, at));
    const { send, message, report } = this.#work;
    // The reconciler sends another one.
    await send(message).catch((error) => report('no message for the next attempt', { ...message, error }));
  }

  async #finish(draft: Draft): Promise<void> {
    await this.#storing;
    if (!this.#parts.upload) return this.#put(draft);
    if (draft.bytes > 0) await this.#parts.add(draft.take());
    const checkpoint = { ...draft.mark(), upload: this.#parts.upload, sha256: draft.sha256() };
    await this.#lease.advance((job, at) => progressed(job, checkpoint, at));
    if (this.#work.remaining() < COMPLETE_MS) return this.#handOver(checkpoint);
    await this.#complete(checkpoint);
  }

  /** A file smaller than a part is one object from the start. */
  async #put(draft: Draft): Promise<void> {
    const file = { key: this.#name(this.#lease.job.format), row_count: draft.row_count, size_bytes: draft.bytes };
    await this.#places.files.put(file.key, draft.take(), this.#lines.type);
    const sha256 = draft.sha256();
    await this.#lease.advance((job, at) => completed(job, { ...file, sha256 }, at));
  }

  async #complete({ upload, row_count, sha256 = '' }: Checkpoint): Promise<void> {
    if (!upload) throw new Gone();
    if (!(await this.#places.files.complete(upload, this.#lease.signal))) throw new Gone();
    const file = { key: upload.key, row_count, size_bytes: upload.bytes, sha256 };
    await this.#lease.advance((job, at) => completed(job, file, at));
  }

  #partsOf({ checkpoint, format }: Export): Parts {
    return new Parts(this.#places.files, this.#name(format), this.#lines.type, checkpoint?.upload, this.#partBytes);
  }

  /** Names are an attempt's own, so that no attempt writes over the object of another. */
  #name(extension: string): string {
    const { id, attempt } = this.#lease.job;
    return `${id}/${attempt}.${extension}`;
  }
}
