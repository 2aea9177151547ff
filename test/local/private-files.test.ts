import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CliError } from '#local/cli/cli-error.ts';
import { openStorage } from '#local/settings/private-files.ts';

const isLinux = process.platform === 'linux';

test.each(['/dev/null/data', '/dev/null', ...(isLinux ? ['/proc', '/proc/data', '/proc/a/b', '/sys/data'] : [])])(
  'the data directory %s, where nothing can be created: an error names it',
  async (directory) => {
    const checking = openStorage({ DATA_DIR: directory });
    await expect(checking).rejects.toThrow(CliError);
    await expect(checking).rejects.toThrow(
      /^Cannot write to DATA_DIR, the directory of the data: .*'\/(dev|proc|sys)\S*'$/,
    );
  },
);

test('a data directory whose parents are missing: created, also by two processes at once, and empty', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'private-files-'));
  const directory = join(parent, 'a', 'b', 'c');
  await Promise.all([1, 2, 3].map(() => openStorage({ DATA_DIR: directory })));
  expect(await readdir(directory)).toEqual([]);
  await rm(parent, { recursive: true });
});
