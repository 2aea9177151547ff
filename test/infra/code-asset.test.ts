import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CODE_CACHE } from '#infra/build/code-cache/code-caches.ts';
import { fingerprintOf } from '#infra/constructs/functions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'code-asset-'));
  write('bundle.js', 'code');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const writeCache = (version: string, data: string) => {
  const label = Buffer.alloc(32);
  label.write(version);
  write(CODE_CACHE, Buffer.concat([Buffer.alloc(32, data), label, Buffer.from(data)]));
};

test('a cache with other bytes of the same version of Node: the same asset, so nothing is deployed', () => {
  writeCache('v24.21.0 arm64', 'a');
  const first = fingerprintOf(folder);
  writeCache('v24.21.0 arm64', 'b');
  expect(fingerprintOf(folder)).toBe(first);
});

test('no cache, another version of Node, another processor, other code: another asset', () => {
  const assets = [fingerprintOf(folder)];
  for (const version of ['v24.21.0 arm64', 'v24.22.0 arm64', 'v24.21.0 x64']) {
    writeCache(version, 'a');
    assets.push(fingerprintOf(folder));
  }
  write('bundle.js', 'edoc');
  assets.push(fingerprintOf(folder));
  expect(new Set(assets).size).toBe(assets.length);
});
