import { expect, test } from '@jest/globals';
import { MultipartUpload } from '#shared/invoicing/exports/multipart-upload.ts';

/** A file store that records the parts. */
const recordingFiles = () => {
  const stored: [key: string, upload: string, number: number][] = [];
  const files = {
    beginUpload: async () => 'begun',
    uploadPart: async (key: string, upload: string, number: number) => {
      stored.push([key, upload, number]);
      return `"${number}"`;
    },
  };
  return { files, stored };
};
const bytes = new Uint8Array(7);

test('an upload that another attempt continues: its parts are numbered on without a gap [CONTRACT §9]', async () => {
  const { files, stored } = recordingFiles();
  const former = { id: 'former', key: 'the key', etags: ['"1"', '"2"'], bytes: 5 };
  const resumed = new MultipartUpload(files, 'unused', 'text/csv', former);
  await resumed.add(bytes);
  await resumed.add(bytes);
  expect(stored).toEqual([
    ['the key', 'former', 3],
    ['the key', 'former', 4],
  ]);
  expect(resumed.state).toEqual({ id: 'former', key: 'the key', etags: ['"1"', '"2"', '"3"', '"4"'], bytes: 19 });
});

test('10,000 parts, the maximum of S3: 292 GiB in total, at most 64 MiB each, and their ETags fit into a checkpoint', () => {
  const { files } = recordingFiles();
  const sizes = Array.from({ length: 10_000 }, (_, count) => {
    const etags = new Array<string>(count);
    return new MultipartUpload(files, 'the key', 'text/csv', { id: 'u', key: 'the key', etags, bytes: 0 }).size;
  });
  expect([sizes[0], sizes.at(-1)]).toEqual([8 * 2 ** 20, 64 * 2 ** 20]);
  const sum = sizes.reduce((total, size) => total + size, 0);
  expect(Math.floor(sum / 2 ** 30)).toBe(292);
  const etag = `"${'0'.repeat(32)}"`;
  const upload = { id: 'u'.repeat(200), key: 'k'.repeat(100), etags: Array(10_000).fill(etag), bytes: sum };
  // DynamoDB counts one byte for each element of a list, in addition to its value (docs/scaling.md).
  expect(Buffer.byteLength(upload.etags.join('')) + upload.etags.length).toBeLessThan(400 * 1024 - 16 * 1024);
});
