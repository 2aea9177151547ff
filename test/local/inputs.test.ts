import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fingerprint, onInputChange } from '#local/bundles/inputs.ts';

let root: string;
let changes = 0;
let stop: () => Promise<void>;

const path = (file: string): string => join(root, file);

const write = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(path(file)), { recursive: true });
  await writeFile(path(file), text);
};

/** Saves as many editors do: writes another file and renames it. */
const replace = async (file: string, text: string): Promise<void> => {
  await writeFile(path('draft'), text);
  await rename(path('draft'), path(file));
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'inputs-'));
  for (const file of ['functions/a/get.ts', 'docs/guides/01-introduction.md', 'shared/openapi/page/page.js'])
    await write(file, '');
  stop = await onInputChange(root, () => {
    changes += 1;
  });
});
afterAll(async () => {
  await stop();
  await rm(root, { recursive: true });
});

/** Waits for the change that an action causes. */
const expectSeen = async (action: () => Promise<unknown>): Promise<void> => {
  const [before, old] = [changes, await fingerprint(root)];
  await action();
  for (const until = Date.now() + 5000; changes === before && Date.now() < until; ) await sleep(10);
  expect(changes).toBeGreaterThan(before);
  expect(await fingerprint(root)).not.toBe(old);
  // The rest of the burst.
  await sleep(150);
};

test('a file that is replaced by a rename: seen every time', async () => {
  for (let i = 1; i <= 5; i += 1) await expectSeen(() => replace('functions/a/get.ts', `// ${i}`));
  await expectSeen(() => writeFile(path('functions/a/get.ts'), '// in place'));
});

test('a new directory, and a directory that is removed and created again: its files are seen', async () => {
  await expectSeen(() => write('functions/b/c/get.ts', '// 1'));
  await expectSeen(() => replace('functions/b/c/get.ts', '// 2'));
  await expectSeen(() => rm(path('functions/b'), { recursive: true }));
  await expectSeen(() => write('functions/b/c/get.ts', '// 3'));
  await expectSeen(() => replace('functions/b/c/get.ts', '// 4'));
});

test('a directory that is moved away and back, as git stash does: its files are seen', async () => {
  await expectSeen(() => rename(path('functions/a'), path('elsewhere')));
  await expectSeen(() => cp(path('elsewhere'), path('functions/a'), { recursive: true }));
  await expectSeen(() => replace('functions/a/get.ts', '// moved'));
});

test.each(['docs/guides/01-introduction.md', 'shared/openapi/page/page.js'])(
  '%s, a file that the server shows: seen',
  async (file) => {
    for (let i = 1; i <= 2; i += 1) await expectSeen(() => replace(file, `${i}`));
  },
);

test('a temporary file of an editor: changes nothing', async () => {
  const [before, old] = [changes, await fingerprint(root)];
  for (const name of ['.get.ts.swp', '4913', 'get.ts~']) await write(`functions/a/${name}`, 'x');
  await sleep(300);
  expect([changes, await fingerprint(root)]).toEqual([before, old]);
});
