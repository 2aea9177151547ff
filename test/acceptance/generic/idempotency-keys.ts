import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { type Collection, expectProblem, OTHER } from './collection.ts';
import { generic, groupOf } from './group.ts';

const REPEATS = 8;

const keyed = ({ profile }: Collection) => ({ headers: { [profile.idempotency_key.toLowerCase()]: randomUUID() } });

/** How many members the requests created. */
const countCreated = async (notes: Collection, requests: () => Promise<unknown>): Promise<number> => {
  const before = (await notes.ids()).length;
  await requests();
  return (await notes.ids()).length - before;
};

export const idempotencyKeys = groupOf('idempotency keys', [
  generic('§4', 'a repeat with the same key and body: the same status and body, and one member', async (notes) => {
    const [key, body] = [keyed(notes), notes.body()];
    const created = await countCreated(notes, async () => {
      const [one, two] = [await notes.post(body, key), await notes.post(body, key)];
      expect(one.status).toBe(notes.profile.statuses.created);
      expect([two.status, two.text]).toEqual([one.status, one.text]);
    });
    expect(created).toBe(1);
  }),
  generic('§4', 'a repeat after the member has changed: the first response', async (notes) => {
    const [key, body] = [keyed(notes), notes.body()];
    const first = await notes.post(body, key);
    await notes.change(notes.toMember(first).path);
    const { status, text } = await notes.post(body, key);
    expect([status, text]).toEqual([first.status, first.text]);
  }),
  generic('§4', 'another key with the same body: another member', async (notes) => {
    const body = notes.body();
    const [one, two] = [await notes.post(body, keyed(notes)), await notes.post(body, keyed(notes))];
    expect(notes.toMember(two).id).not.toBe(notes.toMember(one).id);
  }),
  generic('§4', 'the same key with another body: refused, and nothing is created', async (notes) => {
    const key = keyed(notes);
    notes.toMember(await notes.post(notes.body(), key));
    const created = await countCreated(notes, async () => {
      expectProblem(notes, await notes.post(notes.body(), key), notes.profile.statuses.key_reused);
    });
    expect(created).toBe(0);
  }),
  generic('§4', 'the same key with another body: the first body still has its first response', async (notes) => {
    const [key, body] = [keyed(notes), notes.body()];
    const first = await notes.post(body, key);
    await notes.post(notes.body(), key);
    const { status, text } = await notes.post(body, key);
    expect([first.status, status, text]).toEqual([notes.profile.statuses.created, first.status, first.text]);
  }),
  generic('§4', `${REPEATS} requests with one key at the same time: one member, and the same body`, async (notes) => {
    const [key, body] = [keyed(notes), notes.body()];
    const created = await countCreated(notes, async () => {
      const answers = await Promise.all(Array.from({ length: REPEATS }, () => notes.post(body, key)));
      const done = answers.filter(({ status }) => status < 400);
      expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    });
    expect(created).toBe(1);
  }),
  generic('§5', 'a key of another account: an operation of its own', async (notes) => {
    const [key, body] = [keyed(notes), notes.body()];
    notes.toMember(await notes.post(body, key));
    const { path, id } = notes.toMember(await notes.post(body, { ...key, as: OTHER }));
    expect((await notes.send(path, { as: OTHER })).status).toBe(200);
    expect(await notes.ids(OTHER)).toContain(id);
  }),
  generic('§4', 'the same change twice without a key: the same state', async (notes) => {
    const { path } = await notes.create();
    const body = notes.body('change');
    await notes.change(path, { body });
    const first = await notes.send(path);
    expect((await notes.change(path, { body })).status).toBe(notes.profile.statuses.changed);
    const second = await notes.send(path);
    expect([second.status, second.headers['etag']]).toEqual([200, first.headers['etag']]);
  }),
  generic(
    '§4',
    'a repeated DELETE: 404',
    async (notes) => {
      const { path } = await notes.create();
      const { deleted, missing } = notes.profile.statuses;
      expect((await notes.remove(path)).status).toBe(deleted);
      expectProblem(notes, await notes.remove(path), missing);
      expectProblem(notes, await notes.send(path), missing);
    },
    'delete',
  ),
]);
