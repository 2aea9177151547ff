import type { IHasher } from 'hash-wasm';
import type { Lines } from '#shared/invoicing/exports/lines.ts';
import type { Checkpoint } from '#shared/invoicing/exports/rules.ts';
import type { Row } from '#shared/platform/wire/field.ts';

type FilePosition = Pick<Checkpoint, 'after' | 'row_count' | 'digest'>;

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_UNIT_BYTES = 3;
/**
 * The first size is small, because most files are small. After seven doublings, the buffer holds a part of 8 MiB and
 * the rows beyond it.
 */
const FIRST_BYTES = 10 * 2 ** 13;

/** Rows per string. V8 frees the memory of short strings early. */
const SLICE_ROWS = 64;

/**
 * The bytes of a file that are not yet stored, and the SHA-256 of the whole file so far. The class reuses two buffers
 * that grow to the size of a part, because the garbage collector frees new buffers late.
 */
export class FileBuffer {
  readonly #lines: Lines;
  readonly #hash: IHasher;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #spare = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #after: number;
  #rows: number;
  /** The number of bytes that are not yet stored. */
  bytes = 0;

  /** Starts a file, or continues a file at its position. `rest` are the bytes after its last part. */
  static async open(lines: Lines, position?: FilePosition, rest?: Uint8Array): Promise<FileBuffer> {
    // A checkpoint can store the state of a hash of hash-wasm, but not of node:crypto.
    const { createSHA256 } = await import('./resumable-sha256.ts');
    const buffer = new FileBuffer(lines, await createSHA256(), position);
    if (!position) buffer.#add(lines.head);
    if (rest) buffer.#restore(rest);
    return buffer;
  }

  private constructor(lines: Lines, hash: IHasher, position?: FilePosition) {
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
    for (const slice of slices(rows)) this.#add(slice.map((row) => this.#lines.line(row)).join(''));
    this.#rows += rows.length;
    this.#after = after;
  }

  position(): FilePosition {
    return { after: this.#after, row_count: this.#rows, digest: this.#hash.save() };
  }

  /**
   * Returns the bytes that are not yet stored. The caller must store the bytes before the next call, which reuses their
   * buffer.
   */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.bytes);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.bytes = 0;
    return bytes;
  }

  /** The SHA-256 of the whole file, in hexadecimal. No bytes can be added after it. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  #add(text: string): void {
    this.#reserve(text.length * MAX_UNIT_BYTES);
    const start = this.bytes;
    this.bytes += this.#buffer.write(text, start);
    this.#hash.update(this.#buffer.subarray(start, this.bytes));
  }

  #restore(bytes: Uint8Array): void {
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

function* slices<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += SLICE_ROWS) yield rows.slice(i, i + SLICE_ROWS);
}
