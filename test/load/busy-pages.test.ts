import { expect, test } from '@jest/globals';
import { createId } from '#shared/platform/id.ts';
import { ROUND_MS } from '#shared/platform/page-index/seal.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';
import { invoiceRow } from './support/invoices.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/* L5: a list is read by page number while rows are inserted (CONTRACT §5). */

const RATES = [1, 5, 20, 100, 300];
/** Longer than a row waits to be sealed. */
const SECONDS = 140;
/** The next round is about to begin, so the last one has sealed nothing newer. */
const SEALED_AGO_MS = ROUND_MS;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const putInvoices = async (account: string, perSecond: number): Promise<void> => {
  const first = Date.now() - SECONDS * 1000;
  const rows = Array.from({ length: perSecond * SECONDS }, (_, i) => {
    const at = new Date(first + (i / perSecond) * 1000).toISOString();
    return invoiceRow(createId(at, i % 4096), at);
  });
  await load.put('invoices', account, rows);
};

test.each(RATES)(
  'a page by number during %i inserts a second: 3 round trips, 40 read units and the last rows',
  async (perSecond) => {
    const { service } = load;
    const account_id = newAccount();
    await putInvoices(account_id, perSecond);
    const sealer = createSealer(service, -SEALED_AGO_MS);
    await sealer.index(account_id, 'invoices').request();
    // Activates the index; the request is not due for this clock.
    await sealer.run();
    await sealer.seal(account_id, 'invoices');
    const read = () => service.send('/v1/invoices?page=1&per_page=20', { claims: { account_id } });
    // The first list of a collection asks for sealing.
    await read();
    load.limit();
    let answer: Awaited<ReturnType<typeof read>> | undefined;
    const trips = await countSequentialTrips(service.client, async () => {
      answer = await read();
    });
    const units = load.used('read', () => true);
    const bound = 40 + (perSecond * 40) / 12;
    print({ perSecond, total: answer?.json.total_count, units, bound, trips });
    expect(answer?.json.total_count).toBe(perSecond * SECONDS);
    expect(trips).toBeLessThanOrEqual(3);
    expect(units).toBeLessThanOrEqual(bound);
  },
  60_000,
);
