import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTask } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { readBody } from '#local/gateway/body.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';

const LIMIT = 1000;

const bodyOf = (headers: IncomingMessage['headers'] = {}) => {
  const stream = Object.assign(new PassThrough(), { headers });
  return { stream, body: readBody(stream as unknown as IncomingMessage, LIMIT) };
};

/** Sends chunks of 400 bytes; returns those that a collection of garbage does not free. */
const sendChunks = async (stream: PassThrough, count: number): Promise<WeakRef<Buffer>[]> => {
  const sent: WeakRef<Buffer>[] = [];
  for (let i = 0; i < count; i += 1) {
    sent.push(writeChunk(stream));
    await nextTask();
  }
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return sent.filter((chunk) => chunk.deref() !== undefined);
};

const writeChunk = (stream: PassThrough): WeakRef<Buffer> => {
  const chunk = Buffer.alloc(400, 'a');
  stream.write(chunk);
  return new WeakRef(chunk);
};

test('a body within the limit: kept while it is read', async () => {
  const { stream, body } = bodyOf();
  expect(await sendChunks(stream, 2)).toHaveLength(2);
  stream.end();
  expect((await body)?.toString()).toBe('a'.repeat(800));
});

deepTest.each([
  ['that exceeds the limit', {}],
  ['whose length is announced', { 'content-length': '1000000' }],
])('a body %s: no chunk of it is kept, and the rest is read to its end', async (_, headers) => {
  const { stream, body } = bodyOf(headers);
  expect(await sendChunks(stream, 100)).toEqual([]);
  expect(stream.readableLength).toBe(0);
  stream.end();
  expect(await body).toBeUndefined();
});
