export interface Hash {
  update(bytes: Uint8Array): void;
  /** In hexadecimal. No bytes can be added after it. */
  digest(): string;
}

/**
 * SHA-256 (FIPS 180-4) of a stream. WebCrypto digests only a whole buffer, and a file may be larger than memory.
 */
export const sha256 = (): Hash => new Sha256();

class Sha256 implements Hash {
  readonly #state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  readonly #words = new Int32Array(ROUNDS);
  /** The bytes after the last whole block. */
  readonly #rest = new Uint8Array(BLOCK);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;
  #length = 0;

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(BLOCK - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restLength);
      this.#restLength += at;
      if (this.#restLength < BLOCK) return;
      this.#block(this.#restView, 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#block(view, at);
    this.#rest.set(bytes.subarray(at));
    this.#restLength = bytes.length - at;
  }

  digest(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array((this.#restLength < LENGTH_AT ? BLOCK : 2 * BLOCK) - this.#restLength);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #block(view: DataView, at: number): void {
    schedule(this.#words, view, at);
    compress(this.#state, this.#words);
  }
}

const BLOCK = 64;
const ROUNDS = 64;
/** The place of the length in the last block. */
const LENGTH_AT = 56;

/** The first 32 bits of the fractional part. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0;

const primes: number[] = [];
for (let n = 2; primes.length < ROUNDS; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);

const K = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const schedule = (W: Int32Array, view: DataView, at: number): void => {
  for (let t = 0; t < 16; t += 1) W[t] = view.getUint32(at + t * 4);
  for (let t = 16; t < ROUNDS; t += 1) {
    const x = W[t - 15] as number;
    const y = W[t - 2] as number;
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    W[t] = (s1 + (W[t - 7] as number) + s0 + (W[t - 16] as number)) | 0;
  }
};

/** One variable for each letter of the standard: an array or a destructuring makes it half as fast. */
const compress = (H: Int32Array, W: Int32Array): void => {
  let a = H[0] as number;
  let b = H[1] as number;
  let c = H[2] as number;
  let d = H[3] as number;
  let e = H[4] as number;
  let f = H[5] as number;
  let g = H[6] as number;
  let h = H[7] as number;
  for (let t = 0; t < ROUNDS; t += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (W[t] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < sums.length; i += 1) H[i] = ((H[i] as number) + (sums[i] as number)) | 0;
};
