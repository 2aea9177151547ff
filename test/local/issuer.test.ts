import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
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
