import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '#client/source/sha256.ts';

const clientDigest = (chunks: readonly Uint8Array[]): string => {
  const hash = sha256();
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
};

const nodeDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('no bytes, and "abc": the digests of FIPS 180-4', () => {
  expect(clientDigest([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(clientDigest([Buffer.from('abc')])).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('any length around a block: the digest of node:crypto', () => {
  for (let length = 0; length <= 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    expect([length, clientDigest([bytes])]).toEqual([length, nodeDigest(bytes)]);
  }
});

test('the same bytes in any chunks: the same digest', () => {
  const cut = fc.tuple(fc.uint8Array({ maxLength: 600 }), fc.array(fc.nat(600), { maxLength: 8 }));
  fc.assert(
    fc.property(cut, ([bytes, cuts]) => {
      const at = [0, ...cuts.map((one) => Math.min(one, bytes.length)).sort((a, b) => a - b), bytes.length];
      expect(clientDigest(at.slice(1).map((end, i) => bytes.subarray(at[i], end)))).toBe(nodeDigest(bytes));
    }),
  );
});

test('large chunks: the digest of node:crypto', () => {
  const chunks = Array.from({ length: 3 }, (_, i) => new Uint8Array(1_000_003).fill(i));
  expect(clientDigest(chunks)).toBe(nodeDigest(Buffer.concat(chunks)));
});
