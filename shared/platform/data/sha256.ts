import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto';

type Data = string | ArrayBuffer | ArrayBufferView;

const bytes = (data: Data): string | NodeJS.ArrayBufferView =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : (data as string | NodeJS.ArrayBufferView);

/** The SDK signs every request with the same two secrets: the credentials' text, and bytes that it keeps for a day. */
const kept = new WeakMap<object, KeyObject>();
let latest: { readonly text: string; readonly key: KeyObject } | undefined;

const keyOf = (secret: Data): KeyObject => {
  if (typeof secret === 'string') {
    if (latest?.text !== secret) latest = { text: secret, key: createSecretKey(secret, 'utf8') };
    return latest.key;
  }
  const key = kept.get(secret) ?? createSecretKey(bytes(secret) as NodeJS.ArrayBufferView);
  kept.set(secret, key);
  return key;
};

/**
 * SHA-256, and with a secret its HMAC, as the SDK signs requests with. The SDK's own hands Node the secret as bytes
 * for each request, which takes Node 24 several times as long as a key object that is there already
 * (docs/benchmarks.md). The bytes of a secret must not change.
 */
export class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', keyOf(secret));
  }

  update(data: Data): void {
    this.#hash.update(bytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}
