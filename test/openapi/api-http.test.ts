import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { HTTP_FILE, httpFile } from '#infra/scripts/http-requests.ts';

test('docs/api.http: has a request of each operation, by hand or written by npm run generate', () => {
  expect(readFileSync(HTTP_FILE, 'utf8')).toBe(httpFile());
});
