import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { registries } from '#infra/scripts/registries.ts';

test.each(Object.entries(registries))('%s: is the output of `npm run generate`', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
