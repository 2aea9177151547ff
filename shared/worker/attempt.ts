import type { Export } from '#shared/domain/export.ts';
import { completed, handedOver, LEASE_MS, progressed, rowsOf, stumbled } from '#shared/domain/export-job.ts';
import { EXPORTED } from '#shared/wire/export.ts';
import { type Lines, linesOf } from '#shared/wire/line.ts';
import { attributesOf, type Resource } from '#shared/wire/resource.ts';
import { Draft } from './draft.ts';
import { Gone, Parts } from './parts.ts';
import type { Delivery, Reach } from './worker.ts';

/** What the export worker uses: every table that can be exported, the jobs and the files. */
export const USES = {
  exports: ['find', 'replace'],
  customers: ['rows'],
  invoices: ['rows'],
  payments: ['rows'],
  refunds: ['rows'],
  files: ['put', 'read', 'begin', 'part', 'complete'],
} as const;

/** S3 takes no part under 5 MiB but the last; larger ones are fewer calls. */
export const PART_BYTES = 8 * 2 ** 20;
/** How often an attempt gives a sign of life, well within its lease. */
const BEAT_MS = LEASE_MS / 4;
/** With less time left than this, another call of the function goes on. */
const HAND_OVER_MS = 30_000;

/** Another attempt has the job, or it was canceled: whatever is done now must not count. */
export class Lost extends Error {}

/** One attempt at a job's file, from where the last one stopped (CONTRACT §9). */
export class Attempt {
  readonly #work: Delivery;
  readonly #places: Reach<typeof USES>;
  readonly #partBytes: number;
  readonly #resource: Resource;
  readonly #lines: Lines;
  #job: Export;
  #parts: Parts;
  /** The part that is being stored while the next rows are read. */
  #storing: Promise<void> = Promise.resolve();

  constructor(job: Export, work: Delivery, places: Reach<typeof USES>, partBytes: number) {
    this.#job = job;
    this.#work = work;
    this.#places = places;
    this.#partBytes = partBytes;
    this.#resource = EXPORTED[job.type];
    this.#lines = linesOf(this.#resource, job.format);
    this.#parts = this.#partsOf(job);
  }

  /**
   * Writes the file, or as much of it as the time allows.
   * @throws Lost when the job is not this attempt's any more
   */
  async run(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      // Whatever part was being stored has failed for the same reason.
      this.#storing = Promise.resolve();
      await this.#advance(progressed(this.#job, undefined, this.#work.now()));
      this.#parts = this.#partsOf(this.#job);
      await this.#write();
    }
  }

  /** Leaves the job to the next attempt, or fails it after the last. */
  async stumble(): Promise<void> {
    await this.#storing.catch(() => {});
    await this.#advance(stumbled(this.#job, this.#work.again_ms, this.#work.now()));
  }

  async #write(): Promise<void> {
    const draft = await this.#open();
    const { from, ...range } = rowsOf(this.#job);
    const attributes = attributesOf(this.#resource.fields.v1, Object.keys(this.#resource.fields.v1));
    const store = this.#places[this.#job.type];
    for await (const { rows, after } of store.rows({ ...range, from: Math.max(from, draft.after + 1), attributes })) {
      draft.append(rows as never, after);
      if (draft.bytes >= this.#partBytes) await this.#store(draft);
      await this.#beat();
      if (this.#work.remaining() < HAND_OVER_MS) return this.#handOver(draft);
    }
    await this.#complete(draft);
  }

  async #open(): Promise<Draft> {
    const { checkpoint } = this.#job;
    const rest = checkpoint?.rest && (await this.#places.files.read(checkpoint.rest.key));
    if (checkpoint?.rest && !rest) throw new Gone();
    return Draft.open(this.#lines, checkpoint, rest);
  }

  /** Stores what there is as a part, one at a time, and marks the place. */
  async #store(draft: Draft): Promise<void> {
    const bytes = draft.take();
    const mark = draft.mark();
    await this.#storing;
    this.#storing = this.#parts
      .add(bytes)
      .then(() => this.#advance(progressed(this.#job, { ...mark, upload: this.#parts.upload }, this.#work.now())));
    // It is waited for later.
    this.#storing.catch(() => {});
  }

  async #beat(): Promise<void> {
    const isFresh = () => this.#job.lease_until - Date.parse(this.#work.now()) > LEASE_MS - BEAT_MS;
    if (isFresh()) return;
    await this.#storing;
    if (!isFresh()) await this.#advance(progressed(this.#job, this.#job.checkpoint, this.#work.now()));
  }

  async #handOver(draft: Draft): Promise<void> {
    await this.#storing;
    const { upload } = this.#parts;
    const rest = draft.bytes > 0 ? { key: this.#name('rest'), bytes: draft.bytes } : undefined;
    const mark = draft.mark();
    if (rest) await this.#places.files.put(rest.key, draft.take(), this.#lines.type);
    await this.#advance(handedOver(this.#job, { ...mark, upload, rest }, this.#work.now()));
    const { send, message, report } = this.#work;
    // The reconciler sends another one.
    await send(message).catch((error) => report('no message for the next attempt', { ...message, error }));
  }

  async #complete(draft: Draft): Promise<void> {
    await this.#storing;
    const size_bytes = (this.#parts.upload?.bytes ?? 0) + draft.bytes;
    if (this.#parts.upload && draft.bytes > 0) await this.#parts.add(draft.take());
    const { upload } = this.#parts;
    const key = upload?.key ?? this.#name(this.#job.format);
    if (upload) await this.#parts.complete(upload);
    else await this.#places.files.put(key, draft.take(), this.#lines.type);
    const file = { key, row_count: draft.row_count, size_bytes, sha256: draft.sha256() };
    await this.#advance(completed(this.#job, file, this.#work.now()));
  }

  async #advance(after: Export): Promise<void> {
    if (!(await this.#work.commit(this.#places.exports.replace(this.#job, after)))) throw new Lost();
    this.#job = after;
  }

  #partsOf({ checkpoint, format }: Export): Parts {
    return new Parts(this.#places.files, this.#name(format), this.#lines.type, checkpoint?.upload);
  }

  /** Names are an attempt's own, so that nobody writes over another one's. */
  #name(extension: string): string {
    return `${this.#job.id}/${this.#job.attempt}.${extension}`;
  }
}
