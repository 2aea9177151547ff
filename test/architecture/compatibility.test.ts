import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { changesSinceRelease } from '#shared/openapi/source.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the API since the last release: no change can break a client (CONTRIBUTING.md, “Change the API”) [CONTRACT §11]', () => {
  expect(changesSinceRelease()).toEqual([]);
});

test('the packages and CHANGELOG.md: have the version of the last release', () => {
  const [, version] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(JSON.parse(read('package.json'))).toMatchObject({ version });
  expect(JSON.parse(read('client/package.json'))).toMatchObject({ version });
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
});
