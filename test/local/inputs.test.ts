import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fingerprint, onInputChange, watchInputs } from '#local/bundles/inputs.ts';
import { until } from '#test/support/waiting/until.ts';

let root: string;
/** The states of the inputs at the last callbacks. */
const seen = new Set<string>();
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
    void fingerprint(root).then((state) => seen.add(state));
  });
});
afterAll(async () => {
  await stop();
  await rm(root, { recursive: true });
});

/** Waits for the callback after the change that an action causes. */
const expectSeen = async (action: () => Promise<unknown>): Promise<void> => {
  const old = await fingerprint(root);
  seen.clear();
  await action();
  const changed = await fingerprint(root);
  expect(changed).not.toBe(old);
  await until(() => seen.has(changed));
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
  const watcher = await watchInputs(root);
  const paths: string[] = [];
  watcher.on('all', (_, file) => paths.push(file));
  const old = await fingerprint(root);
  for (const name of ['.get.ts.swp', '4913', 'get.ts~']) await write(`functions/a/${name}`, 'x');
  expect(await fingerprint(root)).toBe(old);
  // The directory is read for each of these files, and the temporary files are older.
  const later = ['functions/a/later.ts', 'functions/a/last.ts'];
  for (const file of later) {
    await write(file, '');
    await until(() => paths.includes(file));
  }
  await watcher.close();
  expect(paths.filter((file) => !later.includes(file))).toEqual([]);
});
