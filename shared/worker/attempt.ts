import type { Export } from '#shared/domain/export.ts';
import {
  type Checkpoint,
  completed,
  handedOver,
  LEASE_MS,
  progressed,
  rowsOf,
  stumbled,
  type Upload,
} from '#shared/domain/export-job.ts';
import { EXPORTED } from '#shared/wire/export.ts';
import { type Lines, linesOf } from '#shared/wire/line.ts';
import { attributesOf, type Resource } from '#shared/wire/resource.ts';
import { Draft, type Mark } from './draft.ts';
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
const PART_BYTES = 8 * 2 ** 20;
/** How often an attempt gives a sign of life, well within its lease. */
const BEAT_MS = LEASE_MS / 4;
/** With less time left than this, another call of the function goes on. */
const HAND_OVER_MS = 30_000;

/** Another attempt has the job, or it was canceled: whatever is done now must not count. */
export class Lost extends Error {}

/** What a checkpoint builds on is gone: the file is to be begun anew. */
class Gone extends Error {}

/** One attempt at a job's file, from where the last one stopped (CONTRACT §9). */
export class Attempt {
  readonly #work: Delivery;
  readonly #places: Reach<typeof USES>;
  readonly #resource: Resource;
  readonly #lines: Lines;
  /** The first part may be one that a former attempt is still writing: its number is passed over. */
  #skips: number;
  #job: Export;
  #upload: Upload | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(job: Export, work: Delivery, places: Reach<typeof USES>) {
    this.#job = job;
    this.#work = work;
    this.#places = places;
    this.#resource = EXPORTED[job.type];
    this.#lines = linesOf(this.#resource, job.format);
    this.#upload = job.checkpoint?.upload;
    this.#skips = 1;
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
      this.#upload = undefined;
      await this.#advance(progressed(this.#job, undefined, this.#work.now()));
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
    for await (const stretch of store.rows({ ...range, from: Math.max(from, draft.after + 1), attributes })) {
      draft.append(stretch.rows as never, stretch.after);
      if (draft.bytes >= PART_BYTES) await this.#store(draft);
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

  /** Stores what there is as a part while the next rows are read, one at a time. */
  async #store(draft: Draft): Promise<void> {
    const bytes = draft.take();
    const mark = draft.mark();
    await this.#storing;
    this.#storing = this.#storePart(bytes, mark);
    this.#storing.catch(() => {});
  }

  async #storePart(bytes: Uint8Array, mark: Mark): Promise<void> {
    const upload = this.#upload ?? (await this.#begin());
    const number = (upload.parts.at(-1)?.number ?? 0) + 1 + this.#skips;
    const part = await this.#places.files.part(upload.key, upload.id, number, bytes);
    if (!part) throw new Gone();
    this.#skips = 0;
    this.#upload = { ...upload, parts: [...upload.parts, part], bytes: upload.bytes + bytes.length };
    await this.#advance(progressed(this.#job, { ...mark, upload: this.#upload }, this.#work.now()));
  }

  async #begin(): Promise<Upload> {
    const key = this.#name(this.#job.format);
    return { id: await this.#places.files.begin(key, this.#lines.type), key, parts: [], bytes: 0 };
  }

  async #beat(): Promise<void> {
    const isFresh = () => this.#job.lease_until - Date.parse(this.#work.now()) > LEASE_MS - BEAT_MS;
    if (isFresh()) return;
    await this.#storing;
    if (!isFresh()) await this.#advance(progressed(this.#job, this.#job.checkpoint, this.#work.now()));
  }

  async #handOver(draft: Draft): Promise<void> {
    await this.#storing;
    const key = this.#name('rest');
    const rest = draft.bytes > 0 ? { key, bytes: draft.bytes } : undefined;
    const mark = draft.mark();
    if (rest) await this.#places.files.put(key, draft.take(), this.#lines.type);
    const checkpoint: Checkpoint = { ...mark, upload: this.#upload, rest };
    await this.#advance(handedOver(this.#job, checkpoint, this.#work.now()));
    const { send, message, report } = this.#work;
    // The reconciler sends another one.
    await send(message).catch((error) => report('no message for the next attempt', { ...message, error }));
  }

  async #complete(draft: Draft): Promise<void> {
    await this.#storing;
    const size_bytes = (this.#upload?.bytes ?? 0) + draft.bytes;
    if (this.#upload && draft.bytes > 0) await this.#storePart(draft.take(), draft.mark());
    const { row_count } = draft;
    const key = this.#upload?.key ?? this.#name(this.#job.format);
    if (!this.#upload) await this.#places.files.put(key, draft.take(), this.#lines.type);
    else if (!(await this.#places.files.complete(key, this.#upload.id, this.#upload.parts))) throw new Gone();
    const file = { key, row_count, size_bytes, sha256: draft.sha256() };
    await this.#advance(completed(this.#job, file, this.#work.now()));
  }

  async #advance(after: Export): Promise<void> {
    if (!(await this.#work.commit(this.#places.exports.replace(this.#job, after)))) throw new Lost();
    this.#job = after;
  }

  /** Names are an attempt's own, so that nobody writes over another one's. */
  #name(extension: string): string {
    return `${this.#job.id}/${this.#job.attempt}.${extension}`;
  }
}
