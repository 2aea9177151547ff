import type { IHasher } from 'hash-wasm';
import type { Checkpoint } from '#shared/invoicing/exports/job.ts';
import type { Lines } from '#shared/invoicing/exports/lines.ts';
import type { Row } from '#shared/platform/wire/field.ts';

/** How far a file is written. */
export type Position = Pick<Checkpoint, 'after' | 'row_count' | 'digest'>;

/** The most bytes of UTF-8 that a code unit of a text takes. */
const UNIT_BYTES = 3;
/** The first size of a buffer, as most files are small; doubled seven times it holds a part of 8 MiB and its overrun. */
const FIRST_BYTES = 10 * 2 ** 13;

/** How many rows are serialized at a time: short-lived texts cost little. */
const SLICE = 64;

function* slices<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += SLICE) yield rows.slice(i, i + SLICE);
}

/**
 * The bytes of a file that are not yet stored, and the SHA-256 of the whole file so far. Two buffers are used in turn and
 * grow to the size of a part: the garbage collector would free new ones late.
 */
export class FileBuffer {
  readonly #lines: Lines;
  readonly #hash: IHasher;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #spare = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #after: number;
  #rows: number;
  /** How many bytes are not yet stored. */
  bytes = 0;

  /** Begins a file, or continues one from its position and the bytes that are stored apart. */
  static async open(lines: Lines, position?: Position, rest?: Uint8Array): Promise<FileBuffer> {
    // The state of a hash of node:crypto cannot be stored in a checkpoint; that of hash-wasm can.
    const { createSHA256 } = await import('./resumable-sha256.ts');
    const buffer = new FileBuffer(lines, await createSHA256(), position);
    if (!position) buffer.#add(lines.head);
    if (rest) buffer.#keep(rest);
    return buffer;
  }

  private constructor(lines: Lines, hash: IHasher, position?: Position) {
    this.#lines = lines;
    this.#hash = position ? hash.load(position.digest) : hash;
    this.#after = position?.after ?? 0;
    this.#rows = position?.row_count ?? 0;
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

  position(): Position {
    return { after: this.#after, row_count: this.#rows, digest: this.#hash.save() };
  }

  /** The bytes that are not yet stored. They are overwritten after the next call: by then they must be stored. */
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
