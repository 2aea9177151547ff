import { expect } from 'expect';
import type { Sent } from '../suite/service.ts';
import type { Collection } from './collection.ts';
import { generic, groupOf } from './group.ts';

/** Expects that HEAD has this status, the headers of GET and no body. */
const compare = async (notes: Collection, target: string, status: number, sent: Sent = {}) => {
  const [get, head] = [await notes.send(target, sent), await notes.send(target, { ...sent, method: 'HEAD' })];
  expect([get.status, head.status, head.text]).toEqual([status, status, '']);
  expect(notes.headersOf(head)).toEqual(notes.headersOf(get));
  const { 'content-length': length } = head.headers;
  // A response without a body has the length of none.
  if (length !== undefined && status !== 304) expect(Number(length)).toBe(Buffer.byteLength(get.text));
};

export const head = groupOf('HEAD', [
  generic('RFC 9110 §9.3.2', 'a member: the headers of GET, and no body', async (notes) => {
    const { path } = await notes.create();
    await compare(notes, path, 200);
  }),
  generic('RFC 9110 §9.3.2', 'a page of the list: the headers of GET, and no body', async (notes) => {
    await notes.create();
    await notes.create();
    await compare(notes, notes.firstPage(1), 200);
  }),
  generic('RFC 9110 §9.3.2', 'a missing member: the headers of GET, and no body', (notes) =>
    compare(notes, notes.missing, notes.profile.statuses.missing),
  ),
  generic('RFC 9110 §9.3.2', 'no token: the headers of GET, and no body', (notes) =>
    compare(notes, notes.profile.collection, notes.profile.statuses.unauthenticated, { as: 'nobody' }),
  ),
  generic(
    'RFC 9110 §13.1.2',
    'If-None-Match with the ETag: 304 as for GET',
    async (notes) => {
      const { path } = await notes.create();
      const { headers } = await notes.send(path);
      await compare(notes, path, 304, { headers: { 'if-none-match': headers['etag'] } });
    },
    'conditional requests',
  ),
]);
