import { expect } from 'expect';
import { type Collection, expectProblem, type Member, OTHER, type Page } from './collection.ts';
import { generic, groupOf } from './group.ts';

const ROWS = 8;
const PAGES = 5;

interface Rows {
  /** The ids of all rows. */
  readonly ids: readonly string[];
  /** Gives about five pages. */
  readonly limit: number;
}

/** Creates rows until a walk has several pages. */
const ensureRows = async (notes: Collection): Promise<Rows> => {
  for (let count = (await notes.ids()).length; count < ROWS; count++) await notes.create();
  const ids = await notes.ids();
  return { ids, limit: Math.min(notes.profile.list.maximum, Math.max(2, Math.ceil(ids.length / PAGES))) };
};

/** Creates rows that a check may delete. */
const createRows = async (notes: Collection): Promise<Rows & { readonly created: readonly Member[] }> => {
  const created: Member[] = [];
  for (let i = 0; i < ROWS; i++) created.push(await notes.create());
  return { created, ...(await ensureRows(notes)) };
};

const idsOf = (pages: readonly Page[]): string[] => pages.flatMap(({ ids }) => ids);

const createNext = async (notes: Collection): Promise<string> => {
  const { limit } = await ensureRows(notes);
  const { next } = await notes.page(notes.firstPage(limit));
  if (next === undefined) throw new Error(`The first page of ${limit} rows has no next page.`);
  return next;
};

/** Other texts of the same length, and a shorter and an unknown one. */
const altered = (cursor: string): string[] => {
  const replaceAt = (at: number) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  return [replaceAt(0), replaceAt(cursor.length >> 1), cursor.slice(0, -2), 'x', ''];
};

/** A walk that deletes a returned row after each of the first pages. */
const walkWithDeletions = async (notes: Collection, choose: (own: readonly string[]) => string | undefined) => {
  const { created, ids, limit } = await createRows(notes);
  const pathOf = new Map(created.map(({ id, path }) => [id, path]));
  const deleted = new Set<string>();
  const seen = await notes.pages(limit, {
    async after(page) {
      const id = deleted.size < 3 ? choose(page.ids.filter((one) => pathOf.has(one))) : undefined;
      if (id === undefined) return;
      expect((await notes.remove(pathOf.get(id) as string)).status).toBe(notes.profile.statuses.deleted);
      deleted.add(id);
    },
  });
  expect(deleted.size).toBeGreaterThan(0);
  const isLasting = (id: string) => !deleted.has(id);
  expect(idsOf(seen).filter(isLasting)).toEqual(ids.filter(isLasting));
};

export const cursors = groupOf('cursors', [
  generic('§4', 'limit: at most as many rows on each page, and each page but the last has rows', async (notes) => {
    const { limit } = await ensureRows(notes);
    const pages = await notes.pages(limit);
    for (const { ids } of pages) expect(ids.length).toBeLessThanOrEqual(limit);
    for (const { ids } of pages.slice(0, -1)) expect(ids.length).toBeGreaterThan(0);
  }),
  generic('§4', 'a limit that is not a positive integer: refused', async (notes) => {
    for (const limit of ['0', '-1', 'x', '1.5']) {
      const answer = await notes.send(`${notes.profile.collection}?${notes.profile.list.limit}=${limit}`);
      expectProblem(notes, answer, notes.profile.statuses.invalid);
    }
  }),
  generic('§4', 'walks with different limits: every row once, in the same order', async (notes) => {
    const { created, ids, limit } = await createRows(notes);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(created.map(({ id }) => id)));
    for (const size of [limit, limit + 1]) expect(idsOf(await notes.pages(size))).toEqual(ids);
  }),
  generic('§4', 'the member for more rows: true on each page but the last', async (notes) => {
    const { limit } = await ensureRows(notes);
    const pages = await notes.pages(limit);
    const name = notes.profile.list.has_more;
    const shown = pages.map(({ json, next }) => (name === null ? next !== undefined : (json as never)[name]));
    expect(pages.length).toBeGreaterThan(1);
    expect(shown).toEqual([...pages.slice(1).map(() => true), false]);
  }),
  generic(
    '§4',
    'returned rows are deleted during a walk: every other row once',
    (notes) => walkWithDeletions(notes, ([first]) => first),
    'delete',
  ),
  generic(
    '§4',
    'the row that a cursor points at is deleted: the walk continues after it',
    (notes) => walkWithDeletions(notes, (own) => own.at(-1)),
    'delete',
  ),
  generic('§4', 'rows are created during a walk: every former row once', async (notes) => {
    const { ids, limit } = await ensureRows(notes);
    let count = 0;
    const seen = idsOf(await notes.pages(limit, { after: async () => (count++ < PAGES ? notes.create() : undefined) }));
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  }),
  generic('§4', 'an altered cursor: refused', async (notes) => {
    const [path, query] = (await createNext(notes)).split('?');
    const { list, statuses } = notes.profile;
    for (const cursor of altered(new URLSearchParams(query).get(list.after) as string)) {
      const parameters = new URLSearchParams(query);
      parameters.set(list.after, cursor);
      expectProblem(notes, await notes.send(`${path}?${parameters}`), statuses.invalid_cursor);
    }
  }),
  generic('§5', 'a cursor of another account: refused, or only rows of the caller', async (notes) => {
    const next = await createNext(notes);
    await notes.create(OTHER);
    const answer = await notes.send(next, { as: OTHER });
    if (answer.status !== 200) return expectProblem(notes, answer, notes.profile.statuses.invalid_cursor);
    expect(await notes.ids(OTHER)).toEqual(expect.arrayContaining([...(await notes.page(next, OTHER)).ids]));
  }),
]);
