import { createHash, createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';

const DATA = 'AWS4-HMAC-SHA256\n20261121T093000Z\nü';
const SECRET = 'AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const hex = async (sha256: Sha256, ...chunks: Parameters<Sha256['update']>[0][]): Promise<string> => {
  for (const chunk of chunks) sha256.update(chunk);
  return Buffer.from(await sha256.digest()).toString('hex');
};

test('no secret: the SHA-256 digest', async () => {
  const expected = createHash('sha256').update(DATA).digest('hex');
  expect(await hex(new Sha256(), DATA)).toBe(expected);
  expect(await hex(new Sha256(), Buffer.from(DATA).subarray(0, 7), Buffer.from(DATA).subarray(7))).toBe(expected);
  expect(await hex(new Sha256(), new TextEncoder().encode(DATA).buffer)).toBe(expected);
});

const bytes = new TextEncoder().encode(SECRET);

test.each([
  ['text', SECRET],
  ['bytes', bytes],
  ['a slice of a buffer', Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(5)]).subarray(3, 3 + bytes.length)],
  ['an ArrayBuffer', bytes.buffer],
])('a secret that is %s: its HMAC', async (_, secret) => {
  expect(await hex(new Sha256(secret), DATA)).toBe(createHmac('sha256', SECRET).update(DATA).digest('hex'));
});

test('several secrets in turn: each HMAC belongs to its secret', async () => {
  const other = 'AWS4another';
  for (const secret of [SECRET, other, SECRET, bytes, bytes, new TextEncoder().encode(other)]) {
    expect(await hex(new Sha256(secret), DATA)).toBe(createHmac('sha256', secret).update(DATA).digest('hex'));
  }
});
