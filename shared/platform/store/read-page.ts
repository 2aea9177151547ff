import type { Entity } from '#shared/platform/entity.ts';
import { readIndexedPage } from '#shared/platform/page-index/indexed-page.ts';
import type { PageIndex } from '#shared/platform/page-index/page-index.ts';
import type { Page, PageRequest } from './page.ts';
import type { PageReader } from './page-reader.ts';

/** Limit of the time for counting a page's rows, half of an endpoint's time. After it, the response is 503. */
const MAX_COUNT_MS = 7500;

/**
 * Reads a page as its request needs it. Only a page by number counts rows, and only a list without a filter uses the
 * page index.
 */
export const readPage = <T extends Entity>(
  reader: PageReader<T>,
  index: PageIndex | undefined,
  request: PageRequest<string>,
): Promise<Page<T>> => {
  if (request.style === 'cursor') return reader.readCursorPage(request);
  const until = Date.now() + MAX_COUNT_MS;
  const isFiltered = Object.keys(request.filter).length > 0;
  return !index || isFiltered
    ? reader.readCountedPage(request, { until })
    : readIndexedPage(request, index, reader, until);
};
