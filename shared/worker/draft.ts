import type { IHasher } from 'hash-wasm';
import type { Checkpoint } from '#shared/domain/export-job.ts';
import type { Row } from '#shared/wire/field.ts';
import type { Lines } from '#shared/wire/line.ts';

/** How far a file is written, as a checkpoint keeps it. */
export type Mark = Pick<Checkpoint, 'after' | 'row_count' | 'digest'>;

/** A file as it is being written: what is not yet stored of it, and the SHA-256 of all there is. */
export class Draft {
  readonly #lines: Lines;
  readonly #hash: IHasher;
  #chunks: Uint8Array[] = [];
  #after: number;
  #rows: number;
  /** How much is not yet stored, in bytes. */
  bytes = 0;

  /** Begins a file, or goes on with one from its mark and the bytes that are stored apart. */
  static async open(lines: Lines, mark?: Mark, rest?: Uint8Array): Promise<Draft> {
    // Node's own hash is faster, but cannot be kept and gone on with elsewhere.
    const { createSHA256 } = await import('hash-wasm');
    const draft = new Draft(lines, await createSHA256(), mark);
    if (!mark) draft.#add(Buffer.from(lines.head));
    if (rest) draft.#keep(rest);
    return draft;
  }

  private constructor(lines: Lines, hash: IHasher, mark?: Mark) {
    this.#lines = lines;
    this.#hash = mark ? hash.load(mark.digest) : hash;
    this.#after = mark?.after ?? 0;
    this.#rows = mark?.row_count ?? 0;
  }

  get after(): number {
    return this.#after;
  }

  get row_count(): number {
    return this.#rows;
  }

  append(rows: readonly Row[], after: number): void {
    this.#add(Buffer.from(rows.map((row) => this.#lines.line(row)).join('')));
    this.#rows += rows.length;
    this.#after = after;
  }

  mark(): Mark {
    return { after: this.#after, row_count: this.#rows, digest: this.#hash.save() };
  }

  /** What is not yet stored, which the caller is to store. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.bytes = 0;
    return bytes;
  }

  /** The SHA-256 of the whole file, in hexadecimal digits; nothing can be added any more. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  #add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#keep(bytes);
  }

  #keep(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.bytes += bytes.length;
  }
}
