import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measurePages, OFFSETS, type PageCost, type PageFigures, PER_PAGE } from './pages.ts';
import { atMost, type Report } from './report.ts';

const PLOT = fileURLToPath(new URL('../docs/pages.svg', import.meta.url));
const MAX_UNITS = 40;
const FLATNESS_TARGET = 1.3;
const SAMPLES = 40;
const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000];

/** Compares pages by number with an index and by counting, prints the figures, and plots them. It asserts nothing. */
export const comparePages = async (directory: string, quick: boolean, report: Report): Promise<void> => {
  const all: PageFigures[] = [];
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
    all.push(figures);
  }
  if (!quick) await writeFile(PLOT, plot(all.at(-1) as PageFigures));
};

const reportFigures = ({ rows, sealMilliseconds, indexed, counted }: PageFigures, { print, row }: Report): void => {
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
  const units = indexed.map(({ readUnits }) => readUnits);
  print(row('most read units', Math.max(...units), atMost(Math.max(...units), MAX_UNITS)));
  const ratio = (of: (cost: PageCost) => number) => Math.max(...indexed.map(of)) / Math.min(...indexed.map(of));
  const flatness = ratio(({ milliseconds }) => milliseconds);
  print(row('slowest / fastest', flatness.toFixed(2), atMost(flatness, FLATNESS_TARGET)));
};

const WIDTH = 640;
const HEIGHT = 320;
const MARGIN = 56;
/** Read units at the top of the plot, as a power of ten; the axis is logarithmic. */
const TOP = 5;

/** The read units of a page by its offset. */
const plot = ({ rows, indexed, counted }: PageFigures): string => {
  const x = (offset: number) => MARGIN + offset * (WIDTH - 2 * MARGIN);
  const y = (units: number) => HEIGHT - MARGIN - (Math.log10(units) / TOP) * (HEIGHT - 2 * MARGIN);
  const text = (at: number, height: number, value: string, anchor = 'middle') =>
    `<text x="${at}" y="${height}" text-anchor="${anchor}">${value}</text>`;
  const line = (name: string, color: string, costs: readonly PageCost[]) => {
    const points = costs.map(({ readUnits }, i) => `${x(OFFSETS[i] as number)},${y(readUnits).toFixed(1)}`);
    const label = `${name}: ${costs.map(({ readUnits }) => readUnits.toLocaleString('en')).at(-1)} units`;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>
${points.map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${color}"/>`).join('\n')}
${text(x(0.5), y(costs.at(-1)?.readUnits ?? 1) - 10, label)}`;
  };
  const grid = Array.from({ length: TOP + 1 }, (_, power) => {
    const height = y(10 ** power);
    return `<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${height}" y2="${height}" stroke="#ddd"/>
${text(MARGIN - 8, height + 4, (10 ** power).toLocaleString('en'), 'end')}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text(WIDTH / 2, 24, `Read units of a page of ${PER_PAGE}, by its offset in ${rows.toLocaleString('en')} invoices`)}
${grid.join('\n')}
${OFFSETS.map((offset) => text(x(offset), HEIGHT - MARGIN + 20, offset === 0.01 ? '' : `${100 * offset} %`)).join('\n')}
${line(
  'counting',
  '#b04a3f',
  OFFSETS.map(() => counted),
)}
${line('page index', '#2b6cb0', indexed)}
</svg>
`;
};
