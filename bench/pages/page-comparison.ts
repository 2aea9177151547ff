import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, type Report } from '#bench/measure/report.ts';
import { measurePages, OFFSETS, type PageCost, type PageFigures, PER_PAGE } from './pages.ts';

const MAX_UNITS = 40;
const FLATNESS_TARGET = 1.3;
const SAMPLES = 40;
const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000];

/** Compares pages by number with an index and by counting, and prints the figures. It asserts nothing. */
export const comparePages = async (directory: string, quick: boolean, report: Report): Promise<void> => {
  for (const rows of quick ? QUICK_SIZES : SIZES) {
    const folder = join(directory, `pages-${rows}`);
    await mkdir(folder);
    const figures = await measurePages(
      folder,
      rows,
      SAMPLES,
      report.progress(`Pages of ${rows.toLocaleString('en')} rows`),
    );
    reportFigures(figures, report);
  }
};

const reportFigures = (
  { rows, sealMilliseconds, indexed, counted, due }: PageFigures,
  { print, row }: Report,
): void => {
  print(
    `\nPages of ${PER_PAGE} of ${rows.toLocaleString('en')} invoices, sealed in ${(sealMilliseconds / 1000).toFixed(1)} s`,
  );
  print(row('', ...OFFSETS.map((offset) => `offset ${100 * offset} %`)));
  const columns = { index: indexed, counting: OFFSETS.map(() => counted) };
  for (const [name, costs] of Object.entries(columns)) {
    print(row(`${name}: requests`, ...costs.map(({ requests }) => requests)));
    print(row(`${name}: read units`, ...costs.map(({ readUnits }) => readUnits)));
    print(row(`${name}: ms`, ...costs.map(({ milliseconds }) => milliseconds.toFixed(1))));
  }
  print(row('by due date: requests; read units; ms', due.requests, due.readUnits, due.milliseconds.toFixed(1)));
  const units = indexed.map(({ readUnits }) => readUnits);
  print(row('most read units', Math.max(...units), atMost(Math.max(...units), MAX_UNITS)));
  const ratio = (of: (cost: PageCost) => number) => Math.max(...indexed.map(of)) / Math.min(...indexed.map(of));
  const flatness = ratio(({ milliseconds }) => milliseconds);
  print(row('slowest / fastest', flatness.toFixed(2), atMost(flatness, FLATNESS_TARGET)));
};
