import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { buildLoader, SCRIPT_OPTIONS } from '#infra/build/bundle.ts';
import { CODE_CACHE } from '#infra/build/code-cache/code-caches.ts';
import { DAMAGES, type Damage } from '#test/support/documents/code-cache.ts';

const MAKE = fileURLToPath(import.meta.resolve('#infra/build/code-cache/make-code-cache.mjs'));

const SOURCE = `const namedFunction = (): never => {
  throw new TypeError('No.');
};
export const handler = () => {
  try {
    namedFunction();
  } catch (error) {
    return (error as Error).stack;
  }
};`;

let folder: string;
let intact: Buffer;
const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args);

/** Starts the function as Lambda's runtime does. */
const start = async (...flags: readonly string[]): Promise<{ state: string; answer: string }> => {
  const code = `const { handler } = await import('${join(folder, 'index.cjs')}');
    console.log(JSON.stringify({ state: process.env.CODE_CACHE, answer: handler() }))`;
  const { stdout } = await run(...flags, '--input-type=module', '-e', code);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loader-'));
  await writeFile(join(folder, 'source.ts'), SOURCE);
  await writeFile(join(folder, 'index.cjs'), await buildLoader());
  await build({ ...SCRIPT_OPTIONS, entryPoints: [join(folder, 'source.ts')], outfile: join(folder, 'bundle.js') });
  await run(MAKE, folder);
  intact = await readFile(join(folder, CODE_CACHE));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the code cache', () => {
  const damaged = async (damage: Damage) => {
    const code = await readFile(join(folder, 'bundle.js'));
    const cache = damage(intact, code);
    await (cache ? writeFile(join(folder, CODE_CACHE), cache) : rm(join(folder, CODE_CACHE)));
    const started = await start();
    await writeFile(join(folder, CODE_CACHE), intact);
    return started;
  };

  test.each([
    ['no flags', []],
    ["Lambda's flags", ['--expose-gc', '--max-http-header-size=81920', '--max-semi-space-size=51']],
  ])('%s: V8 accepts it', async (_, flags) => {
    expect((await start(...flags)).state).toBe('accepted');
  });

  test.each(DAMAGES)('%s: the function starts without it, and reports "%s"', async (_, state, damage) => {
    expect(await damaged(damage)).toEqual({ state, answer: expect.stringContaining('TypeError: No.') });
  });
});

describe('the stack of an error', () => {
  test('with the source map: names the functions and lines of the source', async () => {
    const { answer } = await start();
    expect(answer.split('\n').slice(0, 3)).toEqual([
      'TypeError: No.',
      expect.stringMatching(/^ {4}at namedFunction \(\S*source\.ts:2:9\)$/),
      expect.stringMatching(/^ {4}at \S+ \(\S*source\.ts:6:5\)$/),
    ]);
  });

  test('without the source map: names the lines of the bundle', async () => {
    await rm(join(folder, 'bundle.js.map'));
    expect((await start()).answer).toMatch(/^TypeError: No\.\n {4}at .*bundle\.js:2:\d+\)?\n/);
  });
});
