import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { deepTest as test } from '#test/support/extent/deep-test.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

/** A customer whose texts repeat `character` up to their limits. */
const largest = (character: string) => ({
  name: character.repeat(1000),
  email: `${character.repeat(318)}@x`,
  tax_id: character.repeat(1000),
  address: {
    line1: character.repeat(1000),
    line2: character.repeat(1000),
    city: character.repeat(1000),
    region: character.repeat(1000),
    postal_code: character.repeat(1000),
    country: 'NO',
  },
  metadata: Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [character.repeat(38) + String(i).padStart(2, '0'), character.repeat(500)]),
  ),
});

const ROWS = 100;

/** U+0001 makes the largest responses. */
const CHARACTERS = [
  ['a quote', '"', { customers: true, invoices: false, expanded: true }],
  ['U+0001', '\u0001', { customers: true, invoices: true, expanded: true }],
  ['a CJK character', '漢', { customers: false, invoices: false, expanded: true }],
] as const;

describe.each(CHARACTERS)('100 rows of the longest texts, each character %s', (_, character, isLarge) => {
  let service: LocalService;
  const ids = { customers: [] as number[], invoices: [] as number[] };
  const post = async (path: string, body: object): Promise<number> => {
    const { status, json } = await service.send(path, { method: 'POST', body });
    expect(status).toBe(201);
    return json.id;
  };

  beforeAll(async () => {
    service = await startService();
    const { metadata, ...texts } = largest(character);
    const create = async () => {
      const customer_id = await post('/v1/customers', { ...texts, metadata });
      ids.customers.push(customer_id);
      ids.invoices.push(await post('/v1/invoices', { customer_id, description: texts.name, metadata }));
    };
    await Promise.all(Array.from({ length: ROWS }, create));
    for (const list of Object.values(ids)) list.sort((a, b) => a - b);
  });
  afterAll(() => service.stop());

  /** Follows `next_cursor` to the end. `send` throws for a page that is too large for Lambda. */
  const walk = async (path: string): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let after = ''; ; after = `&after=${answers.at(-1)?.json.next_cursor}`) {
      const answer = await service.send(`${path}limit=100${after}`);
      expect(answer.status).toBe(200);
      answers.push(answer);
      if (!answer.json.has_more) return answers;
    }
  };

  const CASES: [string, keyof typeof ids, keyof typeof isLarge][] = [
    ['/v1/customers?', 'customers', 'customers'],
    ['/v1/invoices?', 'invoices', 'invoices'],
    ['/v1/invoices?expand=customer&', 'invoices', 'expanded'],
    ['/v1/invoices?expand=customer&sort=-id&', 'invoices', 'expanded'],
    ['/v2/invoices?expand=customer&status=open&', 'invoices', 'expanded'],
  ];

  test.each(CASES)(
    '%slimit=100: every row once; a page ends early only if it is too large [CONTRACT §5]',
    async (path, collection, size) => {
      const answers = await walk(path);
      const expected = path.includes('sort=-id') ? ids[collection].toReversed() : ids[collection];
      expect(answers.flatMap(({ json }) => json.data.map(({ id }: { id: number }) => id))).toEqual(expected);
      expect(answers.length > 1).toBe(isLarge[size]);
      for (const { json, headers } of answers.slice(0, -1)) expect(headers['link']).toContain(json.next_cursor);
      expect(answers.at(-1)?.json).toMatchObject({ has_more: false, next_cursor: null });
    },
  );

  test.each(CASES.filter(([path]) => path.startsWith('/v1') && !path.includes('sort')))(
    '%spage=1&per_page=100: 200, or if too large 422 with a per_page that fits [CONTRACT §5]',
    async (path, collection, size) => {
      const answer = await service.send(`${path}page=1&per_page=100`);
      expect(answer.status).toBe(isLarge[size] ? 422 : 200);
      if (!isLarge[size]) return;
      expect(answer.json.code).toBe('validation-failed');
      expect(answer.json.errors).toEqual([{ parameter: 'per_page', code: 'too-large', detail: expect.any(String) }]);
      const per_page = Number(/\d+/.exec(answer.json.errors[0].detail)?.[0]);
      const pages = Array.from({ length: Math.ceil(ROWS / per_page) }, (_, i) => i + 1);
      const answers = await Promise.all(pages.map((page) => service.send(`${path}page=${page}&per_page=${per_page}`)));
      const found = answers.flatMap(({ json }) => json.data.map(({ id }: { id: number }) => id));
      expect(found).toEqual(ids[collection]);
      expect(answers[0]?.json.total_count).toBe(ROWS);
    },
  );

  test.each(CASES.filter(([path]) => path.startsWith('/v1') && !path.includes('sort')))(
    '%sids=…: 200, or if too large 422 with a number of ids that fits [CONTRACT §4]',
    async (path, collection, size) => {
      const read = (count: number) => service.send(`${path}ids=${ids[collection].slice(0, count)}`);
      const answer = await read(ROWS);
      expect(answer.status).toBe(isLarge[size] ? 422 : 200);
      if (!isLarge[size]) return;
      expect(answer.json.errors).toEqual([{ parameter: 'ids', code: 'too-large', detail: expect.any(String) }]);
      const count = Number(/\d+/.exec(answer.json.errors[0].detail)?.[0]);
      expect((await read(count)).json.data).toHaveLength(count);
    },
  );
});
