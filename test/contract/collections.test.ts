import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
let ids: number[];
const ROWS = 45;

beforeAll(async () => {
  service = await startService();
  const answers = await Promise.all(
    Array.from({ length: ROWS }, (_, i) =>
      service.send('/v1/invoices', { method: 'POST', body: { total_cents: i, status: i % 3 ? 'open' : 'draft' } }),
    ),
  );
  ids = answers.map(({ json }) => json.id).sort((a, b) => a - b);
});
afterAll(() => service.stop());

const idsOf = ({ json }: Answer): number[] => json.data.map(({ id }: { id: number }) => id);

/** The targets of a Link header by relation (RFC 8288). */
const links = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    (headers['link'] ?? '')
      .split(', ')
      .filter(Boolean)
      .map((link) => {
        const [, target = '', relation = ''] = /^<([^>]*)>; rel="([a-z]+)"$/.exec(link) ?? [];
        return [relation, target];
      }),
  );

const walk = async (first: string): Promise<{ ids: number[]; answers: Answer[] }> => {
  const answers: Answer[] = [];
  for (let target: string | undefined = first; target; target = links(answers.at(-1) as Answer)['next']) {
    answers.push(await service.send(target));
    if (answers.length > 100) throw new Error('The walk does not end.');
  }
  return { ids: answers.flatMap(idsOf), answers };
};

describe('pagination in cursor style', () => {
  test('no parameters: cursor style, the first 20 rows in ascending order of id [CONTRACT §5]', async () => {
    const answer = await service.send('/v1/invoices');
    expect(Object.keys(answer.json)).toEqual(['data', 'next_cursor', 'has_more']);
    expect(idsOf(answer)).toEqual(ids.slice(0, 20));
    expect(answer.json.has_more).toBe(true);
  });

  test.each([1, 7, 20, 45, 100])('a walk with limit=%d: every row once, in order [§4, CONTRACT §5]', async (limit) => {
    const { ids: walked, answers } = await walk(`/v1/invoices?limit=${limit}`);
    expect(walked).toEqual(ids);
    expect(answers).toHaveLength(Math.ceil(ROWS / limit));
    for (const { json } of answers.slice(0, -1))
      expect([json.has_more, typeof json.next_cursor]).toEqual([true, 'string']);
    expect(answers.at(-1)?.json).toMatchObject({ has_more: false, next_cursor: null });
  });

  test('sort=-id: descending order of id [CONTRACT §5]', async () => {
    expect((await walk('/v1/invoices?limit=10&sort=-id')).ids).toEqual(ids.toReversed());
  });

  test('the next link: next_cursor and every other parameter [CONTRACT §5]', async () => {
    const answer = await service.send('/v1/invoices?status=open&fields=id&limit=5&sort=-id');
    const next = new URLSearchParams(links(answer)['next']?.split('?')[1]);
    expect(Object.fromEntries(next)).toEqual({
      status: 'open',
      fields: 'id',
      limit: '5',
      sort: '-id',
      after: answer.json.next_cursor,
    });
  });

  test('the row that a cursor points at is deleted: the next page follows it [CONTRACT §5]', async () => {
    const extra = await Promise.all(
      [1, 2, 3].map(() => service.send('/v1/customers', { method: 'POST', body: { name: 'x' } })),
    );
    const [a, b, c] = extra.map(({ json }) => json.id).sort((x, y) => x - y);
    const first = await service.send('/v1/customers?limit=2');
    expect(idsOf(first)).toEqual([a, b]);
    await service.send(`/v1/customers/${b}`, { method: 'DELETE' });
    expect(idsOf(await service.send(`/v1/customers?limit=2&after=${first.json.next_cursor}`))).toEqual([c]);
  });

  test('an altered cursor, or one of another version, list, filter, order or account: 400 invalid-cursor [CONTRACT §5]', async () => {
    const { next_cursor } = (await service.send('/v1/invoices?limit=1')).json;
    const open = (await service.send('/v1/invoices?limit=1&status=open')).json.next_cursor;
    const elsewhere = [
      service.send(`/v2/invoices?after=${next_cursor}`),
      service.send(`/v1/customers?after=${next_cursor}`),
      service.send(`/v1/invoices?after=${next_cursor}&status=open`),
      service.send(`/v1/invoices?after=${open}`),
      service.send(`/v1/invoices?after=${open}&status=draft`),
      service.send(`/v1/invoices?after=${next_cursor}&sort=-id`),
      service.send(`/v1/invoices?after=${next_cursor}`, { claims: { account_id: 'acct_2' } }),
      service.send(`/v1/invoices?after=${next_cursor}A`),
      service.send(`/v1/invoices?after=${next_cursor.slice(0, -1)}`),
    ];
    for (const answer of await Promise.all(elsewhere))
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid-cursor']);
    expect((await service.send(`/v1/invoices?after=${next_cursor}&limit=3&fields=id&sort=id`)).status).toBe(200);
  });

  test('another account: an empty list [§5]', async () => {
    const answer = await service.send('/v1/invoices', { claims: { account_id: 'acct_2' } });
    expect(answer.json).toEqual({ data: [], next_cursor: null, has_more: false });
  });
});

describe('pagination in offset style', () => {
  test.each([1, 7, 45, 100])('per_page=%d: list slices, exact total_count [§4, CONTRACT §5]', async (per_page) => {
    const pages = Math.ceil(ROWS / per_page);
    for (let page = 1; page <= pages; page++) {
      if (per_page === 1 && page > 3 && page < 44) continue;
      const answer = await service.send(`/v1/invoices?page=${page}&per_page=${per_page}`);
      expect(idsOf(answer)).toEqual(ids.slice((page - 1) * per_page, page * per_page));
      expect(answer.json).toMatchObject({ page, per_page, total_count: ROWS });
    }
  });

  test('per_page alone: page 1; page alone: 20 rows [CONTRACT §5]', async () => {
    expect((await service.send('/v1/invoices?per_page=3')).json).toMatchObject({ page: 1, per_page: 3 });
    expect(idsOf(await service.send('/v1/invoices?page=3'))).toEqual(ids.slice(40));
  });

  test.each([4, 1_000_000, 9007199254740991])(
    'page %d, past the end: 200 with empty data and the true count [CONTRACT §5]',
    async (page) => {
      const answer = await service.send(`/v1/invoices?page=${page}`);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ data: [], page, per_page: 20, total_count: ROWS });
    },
  );

  test('sort=-id: descending order of id [CONTRACT §5]', async () => {
    expect(idsOf(await service.send('/v1/invoices?page=2&per_page=10&sort=-id'))).toEqual(
      ids.toReversed().slice(10, 20),
    );
  });

  test('the Link header: prev, next, first and last, each with every other parameter [CONTRACT §5]', async () => {
    const answer = await service.send('/v1/invoices?page=2&per_page=10&fields=id');
    const page = (number: number) => `/v1/invoices?page=${number}&per_page=10&fields=id`;
    expect(links(answer)).toEqual({ first: page(1), last: page(5), prev: page(1), next: page(3) });
    expect(Object.keys(links(await service.send(page(1)))).sort()).toEqual(['first', 'last', 'next']);
    expect(Object.keys(links(await service.send(page(5)))).sort()).toEqual(['first', 'last', 'prev']);
    expect(links(await service.send(page(9)))).toEqual({ first: page(1), last: page(5), prev: page(5) });
    for (const target of Object.values(links(answer))) expect((await service.send(target)).status).toBe(200);
  });

  test('a filter: total_count counts the matching rows [CONTRACT §5]', async () => {
    const answer = await service.send('/v1/invoices?page=1&per_page=4&status=draft');
    expect(answer.json.total_count).toBe(15);
    expect(answer.json.data).toHaveLength(4);
    expect((await service.send('/v1/invoices?page=9&status=draft')).json).toMatchObject({ data: [], total_count: 15 });
  });
});

describe('fields', () => {
  test.each(['v1', 'v2'])(
    '%s, a field that the handler itself needs: only the named fields are returned [CONTRACT §6]',
    async (version) => {
      const claims = { account_id: `fields_${version}` };
      const post = (path: string, body: object, headers = {}) =>
        service.send(path, { method: 'POST', body, headers, claims });
      const invoice_id = (await post('/v1/invoices', { total_cents: 5 })).json.id;
      const key = { 'idempotency-key': crypto.randomUUID() };
      const { id } = (await post('/v1/payments', { invoice_id, amount_cents: 5 }, key)).json;
      const job = (await post('/v1/exports', { type: 'invoices', format: 'csv' })).json;
      const expected: [string, object][] = [
        [`invoices/${invoice_id}/payments/${id}?fields=invoice_id`, { invoice_id }],
        [`invoices/${invoice_id}/payments/${id}?fields=invoice_id,id`, { id, invoice_id }],
        [`exports/${job.id}?fields=status`, { status: 'pending' }],
        [
          `invoices?status=paid&fields=status,id,id`,
          { data: [{ id: invoice_id, status: 'paid' }], next_cursor: null, has_more: false },
        ],
      ];
      for (const [target, body] of expected) {
        const answer = await service.send(`/${version}/${target}`, { claims });
        expect([answer.status, answer.json]).toEqual([200, body]);
      }
    },
  );
});

describe('filters', () => {
  test('status and customer_id, alone and together, in both styles: the matching rows [CONTRACT §4]', async () => {
    const customer = await service.send('/v1/customers', { method: 'POST', body: { name: 'x' } });
    const customer_id = customer.json.id;
    const claims = { account_id: 'acct_1' };
    for (const status of ['draft', 'open', 'open']) {
      await service.send('/v1/invoices', { method: 'POST', body: { customer_id, status }, claims });
    }
    const found = async (query: string) => (await service.send(`/v1/invoices?${query}`)).json.data.length;
    expect(await found(`customer_id=${customer_id}`)).toBe(3);
    expect(await found(`customer_id=${customer_id}&status=open`)).toBe(2);
    expect(await found(`customer_id=${customer_id}&status=paid`)).toBe(0);
    expect(await found(`customer_id=${customer_id}&page=1`)).toBe(3);
  });

  test('an id that is unknown or of another account: no rows, not 404 [CONTRACT §12]', async () => {
    const foreign = await service.send('/v1/customers', {
      method: 'POST',
      body: { name: 'x' },
      claims: { account_id: 'acct_2' },
    });
    for (const id of [1, foreign.json.id]) {
      const answer = await service.send(`/v1/invoices?customer_id=${id}`);
      expect([answer.status, answer.json.data]).toEqual([200, []]);
    }
  });

  test('the status of a row changes: the row moves from the old filter to the new one [CONTRACT §4]', async () => {
    const { headers, json } = await service.send('/v1/invoices', { method: 'POST', body: { status: 'draft' } });
    const listed = async (status: string) => idsOf(await service.send(`/v1/invoices?status=${status}&limit=100`));
    expect(await listed('draft')).toContain(json.id);
    await service.send(headers['location'] as string, { method: 'PATCH', body: { status: 'open' } });
    expect(await listed('draft')).not.toContain(json.id);
    expect(await listed('open')).toContain(json.id);
    await service.send(headers['location'] as string, { method: 'DELETE' });
    expect(await listed('open')).not.toContain(json.id);
  });

  test('an email that equals the index key of another email: each has its own page and count [CONTRACT §4]', async () => {
    const long = 'a'.repeat(101);
    const short = `sha256:${createHash('sha256').update(long).digest('base64url')}`;
    const claims = { account_id: 'acct_emails' };
    for (const email of [long, short]) {
      await service.send('/v1/customers', { method: 'POST', body: { name: 'x', email }, claims });
    }
    for (const email of [long, short].map(encodeURIComponent)) {
      const page = await service.send(`/v1/customers?page=1&per_page=1&email=${email}`, { claims });
      expect(page.json).toMatchObject({ data: [{}], total_count: 1 });
      expect((await service.send(`/v1/customers?limit=1&email=${email}`, { claims })).json.has_more).toBe(false);
    }
  });

  const EMAILS = ['a@example.com', 'a+b@example.com', '#', 'é😀', '123', 'x'.repeat(1000)];
  const cases = EMAILS.map((email) => [email.slice(0, 20), email] as const);
  test.each(cases)('the email %j…: the customer with this email [CONTRACT §4]', async (_, email) => {
    const { json } = await service.send('/v1/customers', { method: 'POST', body: { name: 'x', email } });
    const answer = await service.send(`/v1/customers?email=${encodeURIComponent(email)}`);
    expect(idsOf(answer)).toEqual([json.id]);
    expect(answer.json.data[0].email).toBe(email);
  });
});
