import { expect, test } from '@jest/globals';
import { Gone, Parts } from '#shared/worker/parts.ts';

/** Files that keep what is asked of them; the upload `gone` is. */
const recording = () => {
  const stored: [upload: string, number: number][] = [];
  const files = {
    begin: async () => 'begun',
    part: async (_key: string, upload: string, number: number) => {
      if (upload === 'gone') return undefined;
      stored.push([upload, number]);
      return { number, etag: `"${number}"` };
    },
    complete: async () => true,
  };
  return { files, stored };
};
const bytes = new Uint8Array(7);

test('CONTRACT §9: an upload that is gone on with passes over the part that a former attempt may still be storing', async () => {
  const { files, stored } = recording();
  const parts = [{ number: 2, etag: '"2"' }];
  const resumed = new Parts(files, 'unused', 'text/csv', { id: 'former', key: 'the key', parts, bytes: 5 });
  await resumed.add(bytes);
  await resumed.add(bytes);
  // Its next one would have been 3.
  expect(stored).toEqual([
    ['former', 4],
    ['former', 5],
  ]);
  expect(resumed.upload).toMatchObject({ id: 'former', key: 'the key', bytes: 19 });
  expect(resumed.upload?.parts.map(({ number }) => number)).toEqual([2, 4, 5]);
});

test('CONTRACT §9: an upload is begun with the first part, not before', async () => {
  const { files } = recording();
  const parts = new Parts(files, 'the key', 'text/csv', undefined);
  expect(parts.upload).toBe(undefined);
  await parts.add(bytes);
  expect(parts.upload).toMatchObject({ id: 'begun', key: 'the key', bytes: 7 });
});

test('CONTRACT §9: a part of an upload that is gone leaves what is known as it was', async () => {
  const { files, stored } = recording();
  const before = { id: 'gone', key: 'the key', parts: [], bytes: 0 };
  const parts = new Parts(files, 'the key', 'text/csv', before);
  await expect(parts.add(bytes)).rejects.toThrow(Gone);
  expect([parts.upload, stored]).toEqual([before, []]);
});
