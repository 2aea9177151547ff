import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { LEAF_ROWS } from '#shared/platform/store/page-index/leaves.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { checkPageIndex, createSealer, indexRows, putFullGroup } from '#test/support/state/pages.ts';

/** A time after which a row can be sealed. */
const MINUTE_MS = 61_000;

let make: Makers;
let account_id: string;
const service = await startService();
const race = interleave(service.client);
const sealer = createSealer(service, MINUTE_MS);
afterAll(() => service.stop());
beforeEach(() => {
  account_id = newAccount();
  make = makers(service, { account: account_id });
});

const COLLECTIONS = [
  ['customers', { name: 'Ada' }],
  ['invoices', {}],
] as const;

describe.each(partOf(COLLECTIONS, 2))(
  'DELETE of a row of %s, while the page index changes [CONTRACT §5]',
  (table, body) => {
    const create = async (): Promise<number> => (await make.create(table, body)).id;
    const remove = async (id: number): Promise<void> => {
      expect((await make.send('DELETE', `/v1/${table}/${id}`)).status).toBe(204);
    };
    const seal = async (): Promise<void> => {
      await sealer.index(account_id, table).request();
      await sealer.run();
    };

    test('the first rows are sealed: the delete takes the row out of its leaf', async () => {
      await seal();
      const id = await create();
      await race(seal, () => remove(id));
      expect(await checkPageIndex(service, account_id, table)).toBe(0);
    });

    test('the row is sealed in the last group: the delete takes the row out of its leaf', async () => {
      await create();
      await seal();
      const id = await create();
      await race(seal, () => remove(id));
      expect(await checkPageIndex(service, account_id, table)).toBe(1);
    });

    test('the row is sealed in a new group: the delete takes the row out of that group', async () => {
      const sealed = await Promise.all(Array.from({ length: LEAF_ROWS }, create));
      await putFullGroup(service, account_id, table, sealed);
      const id = await create();
      await race(seal, () => remove(id));
      expect(await checkPageIndex(service, account_id, table)).toBe(LEAF_ROWS);
    });

    const drop = async () => {
      for (const collection of [`${account_id}#${table}`, `${account_id}#${table}#leaves`])
        await service.client.send(
          new DeleteCommand({ TableName: service.environment['PAGES_TABLE'], Key: { collection, id: 0 } }),
        );
    };

    test('the audit deletes the index: the delete creates no counts of a group that does not exist', async () => {
      const id = await create();
      await seal();
      await race(drop, () => remove(id));
      expect(await indexRows(service, `${account_id}#${table}`)).toEqual([]);
      expect(await indexRows(service, `${account_id}#${table}#leaves`)).toEqual([]);
    });

    test('the audit deletes the index, and a run activates it again: the delete changes no count', async () => {
      const id = await create();
      await seal();
      const begin = async () => {
        await drop();
        await sealer.seal(account_id, table);
      };
      await race(begin, () => remove(id));
      expect(await indexRows(service, `${account_id}#${table}`)).toMatchObject([{ id: 0, rows: 0, end: 0 }]);
      expect(await indexRows(service, `${account_id}#${table}#leaves`)).toMatchObject([{ id: 0, end: 0 }]);
      expect(await checkPageIndex(service, account_id, table)).toBe(0);
    });
  },
);
