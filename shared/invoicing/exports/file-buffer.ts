import type { IHasher } from 'hash-wasm';
import type { Checkpoint } from '#shared/invoicing/exports/job.ts';
import type { Lines } from '#shared/invoicing/exports/lines.ts';
import type { Row } from '#shared/platform/wire/field.ts';

/** How far a file is written, as a checkpoint keeps it. */
export type Mark = Pick<Checkpoint, 'after' | 'row_count' | 'digest'>;

/** The most bytes of UTF-8 that a code unit of a text takes. */
const UNIT_BYTES = 3;
/** Most files are small, and so is their memory; doubled seven times it holds a part of 8 MiB and what fills it up. */
const FIRST_BYTES = 10 * 2 ** 13;

/** How many rows are a text at a time: short-lived texts cost little. */
const SLICE = 64;

function* slices<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += SLICE) yield rows.slice(i, i + SLICE);
}

/**
 * A file as it is being written: what is not yet stored of it, and the SHA-256 of all there is. Lines are written to two
 * buffers by turns, which grow to what a part takes and last: the memory of ever new ones is late to come back.
 */
export class Draft {
  readonly #lines: Lines;
  readonly #hash: IHasher;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #spare = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #after: number;
  #rows: number;
  /** How much is not yet stored, in bytes. */
  bytes = 0;

  /** Begins a file, or goes on with one from its mark and the bytes that are stored apart. */
  static async open(lines: Lines, mark?: Mark, rest?: Uint8Array): Promise<Draft> {
    // The state of a hash of node:crypto cannot be stored in a checkpoint; that of hash-wasm can.
    const { createSHA256 } = await import('./resumable-sha256.ts');
    const draft = new Draft(lines, await createSHA256(), mark);
    if (!mark) draft.#add(lines.head);
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
    for (const some of slices(rows)) this.#add(some.map((row) => this.#lines.line(row)).join(''));
    this.#rows += rows.length;
    this.#after = after;
  }

  mark(): Mark {
    return { after: this.#after, row_count: this.#rows, digest: this.#hash.save() };
  }

  /** What is not yet stored. Its memory is written anew once the next one is taken: by then it is to be stored. */
  take(): Uint8Array {
    const taken = this.#buffer.subarray(0, this.bytes);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.bytes = 0;
    return taken;
  }

  /** The SHA-256 of the whole file, in hexadecimal digits; nothing can be added any more. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  #add(text: string): void {
    this.#reserve(text.length * UNIT_BYTES);
    const start = this.bytes;
    this.bytes += this.#buffer.write(text, start);
    this.#hash.update(this.#buffer.subarray(start, this.bytes));
  }

  #keep(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.bytes);
    this.bytes += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.bytes + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.bytes + bytes));
    larger.set(this.#buffer.subarray(0, this.bytes));
    this.#buffer = larger;
  }
}
