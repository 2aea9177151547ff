import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createId } from '#shared/platform/id.ts';
import { HORIZON_MS, ROUND_MS } from '#shared/platform/jobs/seal.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';
import { invoiceRow } from './support/invoices.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/* A list is read by page number while rows are inserted (CONTRACT §5). */

const RATES = [5, 300];
/** Longer than a row waits to be sealed. */
const SECONDS = 140;
/** The next round is about to begin, so the last one has sealed nothing newer. */
const SEALED_AGO_MS = ROUND_MS;
/** In this time, and that of the last run of the sealer, rows should not get older than 40 s. */
const READS_MS = 4000;
const PER_PAGE = 20;
const PAUSE_MS = 100;

let load: Load;
forEachLoad((started) => {
  load = started;
});

/** Inserts invoices of an account at a steady rate. */
class Inserts {
  readonly #account: string;
  readonly #perSecond: number;
  readonly #first = Date.now() - SECONDS * 1000;
  /** The rows whose insert has begun. */
  begun = 0;
  /** The rows that are inserted. */
  done = 0;
  #isOver = false;

  constructor(account: string, perSecond: number) {
    this.#account = account;
    this.#perSecond = perSecond;
  }

  /** Inserts the rows whose time has come; returns how many. */
  async catchUp(): Promise<number> {
    const end = Math.floor(((Date.now() - this.#first) / 1000) * this.#perSecond);
    const rows = Array.from({ length: end - this.begun }, (_, i) => {
      const at = new Date(this.#first + ((this.begun + i) / this.#perSecond) * 1000).toISOString();
      return invoiceRow(createId(at, (this.begun + i) % 4096), at);
    });
    this.begun = end;
    await load.put('invoices', this.#account, rows);
    this.done = end;
    return rows.length;
  }

  /** Continues until the returned function is called. */
  start(): () => Promise<void> {
    const loop = (async () => {
      while (!this.#isOver) {
        await this.catchUp();
        await sleep(PAUSE_MS);
      }
    })();
    return () => {
      this.#isOver = true;
      return loop;
    };
  }
}

/** Reads a page; returns its figures, and the numbers of rows between which its total must be. */
const readPage = async (account_id: string, inserts: Inserts, page: number) => {
  const { service } = load;
  load.limit();
  const least = inserts.done;
  let total = Number.NaN;
  const trips = await countSequentialTrips(service.client, async () => {
    const path = `/v1/invoices?page=${page}&per_page=${PER_PAGE}`;
    total = (await service.send(path, { as: { account: account_id } })).json.total_count;
  });
  return {
    page,
    trips,
    units: load.usage(({ kind }) => kind === 'read').units,
    isCounted: total >= least && total <= inserts.begun,
  };
};

test.each(RATES)(
  'pages by number during %i inserts a second: 3 round trips, 40 read units and the last rows',
  async (perSecond) => {
    const account_id = newAccount();
    const inserts = new Inserts(account_id, perSecond);
    // Until it takes less than a second.
    while ((await inserts.catchUp()) > perSecond);
    const stop = inserts.start();
    const sealer = createSealer(load.service, -SEALED_AGO_MS);
    await sealer.index(account_id, 'invoices').request();
    // Activates the index; the request is not due for this clock.
    await sealer.run();
    await sealer.seal(account_id, 'invoices');
    // The first list of a collection asks for sealing.
    await readPage(account_id, inserts, 1);
    // Rows get older during a run, so the next one has less to seal and takes less time.
    let sealedAt = 0;
    for (let run = 0; run < 3; run++) {
      sealedAt = Date.now();
      await sealer.seal(account_id, 'invoices');
    }
    const reads: Awaited<ReturnType<typeof readPage>>[] = [];
    for (const end = Date.now() + READS_MS; Date.now() < end; ) {
      const middle = Math.ceil(inserts.done / PER_PAGE / 2);
      for (const page of [1, middle]) reads.push(await readPage(account_id, inserts, page));
      await sleep(PAUSE_MS);
    }
    // On a slow machine, rows wait longer than 40 s.
    const seconds = Math.max(40, (Date.now() - sealedAt + ROUND_MS + HORIZON_MS) / 1000);
    const bound = 40 + (perSecond * seconds) / 12;
    await stop();
    load.limit();
    const units = [1, 0].map((isFirst) =>
      Math.max(...reads.filter(({ page }) => Number(page === 1) === isFirst).map((read) => read.units)),
    );
    const trips = Math.max(...reads.map((read) => read.trips));
    print({ perSecond, rows: inserts.done, reads: reads.length, units, bound, trips });
    expect(reads.filter(({ isCounted }) => !isCounted)).toEqual([]);
    expect(reads.filter((read) => read.trips > 3 || read.units > bound)).toEqual([]);
  },
  300_000,
);
