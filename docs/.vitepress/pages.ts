import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export const DOCS = new URL('../', import.meta.url);

/** The pages of the sidebar, in the order of reading: their files below docs/. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['guides/01-getting-started.md', 'guides/02-authentication.md', 'guides/21-what-it-does-not-do.md'],
  'Invoices and money': [
    'guides/03-life-of-an-invoice.md',
    'guides/04-lines-and-tax.md',
    'guides/05-invoice-numbers.md',
    'guides/06-payments-and-corrections.md',
    'guides/07-own-keys.md',
  ],
  Requests: [
    'guides/08-pagination.md',
    'guides/09-conditional-requests.md',
    'guides/10-idempotency.md',
    'guides/11-errors.md',
    'guides/12-limits.md',
    'guides/16-dry-runs.md',
    'guides/17-versions.md',
  ],
  Integrations: ['guides/13-exports.md', 'guides/14-events.md', 'guides/15-webhooks.md', 'guides/20-personal-data.md'],
  'Code examples': ['guides/18-clients.md', 'guides/19-programs.md'],
  'For operators': ['deploy.md', 'runbook.md', 'scaling.md', 'aws-unknowns.md'],
};

const FILES = ['site/index.md', 'site/reference.md', 'site/explorer.md', ...Object.values(GROUPS).flat()];

const isPage = (file: string): boolean => FILES.includes(file);

const markdownFiles = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));

/** The documents that are no pages. */
export const EXCLUDED: string[] = markdownFiles.filter((file) => !isPage(file));

for (const file of EXCLUDED)
  if (file.startsWith('guides/')) throw new Error(`docs/.vitepress/pages.ts has no group for ${file}.`);

/** The name of a page, which ends its address. The number of a guide only orders the folder. */
const nameOf = (file: string): string => basename(file, '.md').replace(/^\d\d-/, '');

/** The name of each page, by its file. */
export const NAMES: ReadonlyMap<string, string> = new Map(FILES.map((file) => [file, nameOf(file)]));

const titleOf = (file: string): string =>
  readFileSync(new URL(file, DOCS), 'utf8').split('\n', 1).join().replace('# ', '');

export const SIDEBAR = Object.entries(GROUPS).map(([text, files]) => ({
  text,
  items: files.map((file) => ({ text: titleOf(file), link: `/${nameOf(file)}` })),
}));
