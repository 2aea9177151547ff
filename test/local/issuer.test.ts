import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { openIssuer } from '#local/issuer/issuer.ts';

const directory = await mkdtemp(join(tmpdir(), 'issuer-'));
afterAll(() => rm(directory, { recursive: true }));

test('a new issuer opened eight times at once: one key, which only its owner may read', async () => {
  const place = join(directory, 'new', 'data');
  const issuers = await Promise.all(Array.from({ length: 8 }, () => openIssuer(place)));
  expect(new Set(issuers.map(({ keys }) => JSON.stringify(keys))).size).toBe(1);
  expect(await readdir(place)).toEqual(['issuer.json']);
  expect((await stat(join(place, 'issuer.json'))).mode & 0o777).toBe(0o600);
});

test('an existing key: is kept', async () => {
  const place = join(directory, 'kept');
  const { keys } = await openIssuer(place);
  const before = await readFile(join(place, 'issuer.json'), 'utf8');
  expect((await openIssuer(place)).keys).toEqual(keys);
  expect(await readFile(join(place, 'issuer.json'), 'utf8')).toBe(before);
});

test('a signed token: verifies with the published key; the private key is not published', async () => {
  const issuer = await openIssuer(join(directory, 'signs'));
  const token = await issuer.sign({ sub: 'user_1' });
  const verified = await jwtVerify(token, createLocalJWKSet(issuer.keys as Parameters<typeof createLocalJWKSet>[0]));
  expect(verified).toMatchObject({ payload: { sub: 'user_1' }, protectedHeader: { alg: 'ES256', typ: 'JWT' } });
  expect(Object.keys(issuer.keys.keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('claims of any type: signed unchanged', async () => {
  const claims = { iss: null, aud: 7, exp: 'never', sub: ['a'], account_id: { a: 1 } };
  const issuer = await openIssuer(join(directory, 'any'));
  expect(decodeJwt(await issuer.sign(claims))).toEqual(claims);
});

test('a file that holds no key: an error names it', async () => {
  await writeFile(join(directory, 'issuer.json'), '{"kty":');
  await expect(openIssuer(directory)).rejects.toThrow(
    `Cannot read or create the issuer's key ${directory}/issuer.json`,
  );
  await writeFile(join(directory, 'issuer.json'), '{"kty":"EC"}');
  await expect(openIssuer(directory)).rejects.toThrow(
    `Cannot read or create the issuer's key ${directory}/issuer.json`,
  );
});
