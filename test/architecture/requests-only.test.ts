import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** What a deployment does not have: its database, its clock and its failures. */
const OWN_PROCESS =
  /'(@aws-sdk\/|#test\/support\/(engine|faults)\/|#test\/support\/service\/(clock|exports|in-process|local-service|webhooks|workers)\.ts')/;

test('a test file of behaviour/ outside internal/: sends its requests through openService alone, so that it runs on a deployment', () => {
  const files = globSync('test/behaviour/**/*.test.ts', { cwd: ROOT }).filter((file) => !file.includes('/internal/'));
  const wrong = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return !text.includes('await openService(') || OWN_PROCESS.test(text);
  });
  expect([wrong, files.length > 15]).toEqual([[], true]);
});
