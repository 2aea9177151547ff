import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { bundle, bundleName } from '#infra/build/bundle.ts';
import { startAws } from '#infra/build/code-cache/aws.ts';
import { CODE_CACHE } from '#infra/build/code-cache/code-caches.ts';
import { DAMAGES } from '#test/support/documents/code-cache.ts';

const START_ALL = fileURLToPath(new URL('start-all.mjs', import.meta.url));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'code-caches-'));
  await bundle(directory);
});
afterAll(() => rm(directory, { recursive: true }));

const all = Object.keys({ ...endpoints, ...workers }).map(bundleName);
const states = (state: string) => Object.fromEntries(all.map((name) => [name, state]));

const startAll = async (): Promise<unknown> => {
  const { environment, stop } = await startAws();
  stop();
  const { stdout } = await promisify(execFile)(process.execPath, [START_ALL, directory], { env: environment });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) as string);
};

test('as built: V8 accepts the code cache of every function', async () => {
  expect(await startAll()).toEqual(states('accepted'));
});

test.each(DAMAGES)('%s: every function starts and reports "%s"', async (_, state, damage) => {
  const caches = all.map((name) => join(directory, name, CODE_CACHE));
  const intact = await Promise.all(caches.map((cache) => readFile(cache)));
  for (const [i, name] of all.entries()) {
    const damaged = damage(intact[i] as Buffer, await readFile(join(directory, name, 'bundle.js')));
    await (damaged ? writeFile(caches[i] as string, damaged) : rm(caches[i] as string));
  }
  expect(await startAll()).toEqual(states(state));
  await Promise.all(caches.map((cache, i) => writeFile(cache, intact[i] as Buffer)));
});
