import { createHash } from 'node:crypto';

/** Changes the file of a code cache, or removes it. */
export type Damage = (cache: Buffer, code: Buffer) => Buffer | undefined;

const DIGEST_BYTES = 32;
const HEADER_BYTES = 64;
/** In V8's data: a magic number, then the version of V8. */
const VERSION_AT = HEADER_BYTES + 4;

const withDigest = (cache: Buffer, code: Buffer): Buffer => {
  const digest = createHash('sha256').update(code).update(cache.subarray(HEADER_BYTES)).digest();
  return Buffer.concat([digest, cache.subarray(DIGEST_BYTES)]);
};

const flip = (cache: Buffer, at: number): Buffer => {
  const changed = Buffer.from(cache);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  return changed;
};

/** Code caches that V8 must not use, each with the report of the loader. */
export const DAMAGES: readonly (readonly [title: string, state: string, damage: Damage])[] = [
  ['no cache', 'missing', () => undefined],
  ['a cache of another version of V8', 'rejected', (cache, code) => withDigest(flip(cache, VERSION_AT), code)],
  ['a truncated cache', 'invalid', (cache) => cache.subarray(0, cache.length >> 1)],
  ['an empty cache', 'invalid', () => Buffer.alloc(0)],
  ['a changed cache', 'invalid', (cache) => flip(cache, cache.length - 1)],
  ['a cache of other code of the same length', 'invalid', (cache, code) => withDigest(cache, flip(code, 0))],
];
