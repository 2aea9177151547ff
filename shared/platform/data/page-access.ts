import type { PageAccess } from './client.ts';
import { readIndexedPage } from './indexed-page.ts';
import { PageIndex } from './page-index.ts';

/** An argument of the Lambdas that use page indexes, because the others should not load it. */
export const PAGES: PageAccess = {
  createIndex: (context, table, account) => new PageIndex(context, table, account),
  readIndexedPage,
};
