import { parseSortKey, sortKey } from '#shared/platform/dynamodb/index-key.ts';
import type { CursorRequest, PageRequest, Sorting } from './page.ts';

export type Selection = Pick<PageRequest<string>, 'filter' | 'range' | 'order' | 'attributes'> &
  Pick<CursorRequest, 'sort'>;

/** The sort key of a row in the order of a list: its id, or its date and id. */
export type Place = number | string;

/** The row after which a page begins. */
export const placeAfter = ({ after, sort }: CursorRequest<string>): Place | undefined =>
  after === undefined || sort?.after === undefined ? after : sortKey(sort.after, after);

/** The lowest and the highest sort key that can follow `after` in the order of the list. */
export const boundsOf = (selection: Selection, after: Place | undefined): { first: Place; last: Place } => {
  const { order, sort } = selection;
  const [first, last] = sort ? dateBounds(sort) : idBounds(selection);
  if (after === undefined) return { first, last };
  const next = moved(after, order === 'ascending' ? 1 : -1);
  if (order === 'ascending') return { first: next > first ? next : first, last };
  return { first, last: next < last ? next : last };
};

const idBounds = ({ range }: Selection): [number, number] => [
  range?.from ?? 0,
  (range?.before ?? Number.MAX_SAFE_INTEGER + 1) - 1,
];

/** A date begins with a digit, which is between these characters. No row has the id 0. */
const dateBounds = ({ from, before }: Sorting): [string, string] => [
  from === undefined ? '#' : sortKey(from, 0),
  before === undefined ? '~' : sortKey(before, 0),
];

const moved = (place: Place, step: 1 | -1): Place => {
  if (typeof place === 'number') return place + step;
  const { date, id } = parseSortKey(place);
  return sortKey(date, id + step);
};
