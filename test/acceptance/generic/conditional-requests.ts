import { expect } from 'expect';
import type { Collection } from './collection.ts';
import { expectProblem } from './collection.ts';
import { generic, groupOf } from './group.ts';

const WRITERS = 8;

const createTagged = async (notes: Collection) => {
  const { path } = await notes.create();
  const { headers, text } = await notes.send(path);
  return { path, etag: headers['etag'] as string, text };
};

/** A tag that was current before a change. */
const createStale = async (notes: Collection) => {
  const { path, etag } = await createTagged(notes);
  await notes.change(path);
  return { path, stale: etag, current: await notes.send(path) };
};

export const conditionalRequests = groupOf('conditional requests', [
  generic('§4', 'a member: the same quoted ETag at each GET', async (notes) => {
    const { path, etag } = await createTagged(notes);
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    expect((await notes.send(path)).headers['etag']).toBe(etag);
  }),
  generic('§4', 'If-None-Match with the ETag: 304, empty, with the ETag and a Cache-Control', async (notes) => {
    const { path, etag } = await createTagged(notes);
    const { status, text, headers } = await notes.send(path, { headers: { 'if-none-match': etag } });
    expect([status, text, headers['etag']]).toEqual([304, '', etag]);
    expect(headers['cache-control']).toMatch(/\bprivate\b|\bno-store\b/);
  }),
  generic('RFC 9110 §13.1.2', 'If-None-Match with a list, the weak form or *: 304', async (notes) => {
    const { path, etag } = await createTagged(notes);
    const weak = etag.startsWith('W/') ? etag.slice(2) : `W/${etag}`;
    for (const tag of [`"no-such-tag", ${etag}`, weak, '*']) {
      const { status } = await notes.send(path, { headers: { 'if-none-match': tag } });
      expect([tag, status]).toEqual([tag, 304]);
    }
  }),
  generic('§4', 'If-None-Match with another tag: 200 with the body', async (notes) => {
    const { path, text } = await createTagged(notes);
    const answer = await notes.send(path, { headers: { 'if-none-match': '"no-such-tag"' } });
    expect([answer.status, answer.text]).toEqual([200, text]);
  }),
  generic('§4', 'a change: another ETag, and the former one is 200 in If-None-Match', async (notes) => {
    const { path, stale, current } = await createStale(notes);
    expect(current.headers['etag']).not.toBe(stale);
    const answer = await notes.send(path, { headers: { 'if-none-match': stale } });
    expect([answer.status, answer.text]).toEqual([200, current.text]);
  }),
  generic('§4', 'a change with a stale If-Match: 412 with the current ETag, and nothing changes', async (notes) => {
    const { path, stale, current } = await createStale(notes);
    const answer = await notes.change(path, { headers: { 'if-match': stale } });
    expectProblem(notes, answer, notes.profile.statuses.stale);
    expect(answer.headers['etag']).toBe(current.headers['etag']);
    expect((await notes.send(path)).text).toBe(current.text);
  }),
  generic('§4', 'a change with the ETag in If-Match: it is done', async (notes) => {
    const { path, etag, text } = await createTagged(notes);
    const answer = await notes.change(path, { headers: { 'if-match': etag } });
    expect(answer.status).toBe(notes.profile.statuses.changed);
    expect((await notes.send(path)).text).not.toBe(text);
  }),
  generic('RFC 9110 §13.1.1', 'a change with If-Match *: it is done', async (notes) => {
    const { path, text } = await createTagged(notes);
    const answer = await notes.change(path, { headers: { 'if-match': '*' } });
    expect(answer.status).toBe(notes.profile.statuses.changed);
    expect((await notes.send(path)).text).not.toBe(text);
  }),
  generic(
    '§4',
    `${WRITERS} changes with the same ETag at the same time: one is done, the others are 412`,
    async (notes) => {
      const { path, etag } = await createTagged(notes);
      const answers = await Promise.all(
        Array.from({ length: WRITERS }, () => notes.change(path, { headers: { 'if-match': etag } })),
      );
      const { changed, stale } = notes.profile.statuses;
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([changed, ...Array<number>(WRITERS - 1).fill(stale)]);
    },
  ),
  generic(
    'RFC 9110 §13.1.1',
    'DELETE with a stale If-Match: 412, and the member remains',
    async (notes) => {
      const { path, stale, current } = await createStale(notes);
      const answer = await notes.remove(path, { headers: { 'if-match': stale } });
      expectProblem(notes, answer, notes.profile.statuses.stale);
      const after = await notes.send(path);
      expect([after.status, after.text]).toEqual([200, current.text]);
    },
    'delete',
  ),
]);
