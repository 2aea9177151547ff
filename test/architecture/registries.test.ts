import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { registries } from '#infra/scripts/registries.ts';

test.each(Object.entries(registries))('%s: as the list of resources has it (npm run registries)', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
