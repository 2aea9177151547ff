import { createHash } from 'node:crypto';
import { isId } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

const ID_BYTES = 8;
const DIGEST_BYTES = 12;

/** A row of a list. In a list that a date sorts, its date as well; otherwise the date is empty. */
interface CursorPosition {
  /** 0 is the position before the first row. */
  readonly id: number;
  readonly date: string;
}

/** The cursor of the position after a row (§4 Pagination). */
export const encodeCursor = ({ id, date }: CursorPosition, scope: string): string => {
  const position = Buffer.alloc(ID_BYTES);
  position.writeBigUInt64BE(BigInt(id));
  const dated = Buffer.concat([position, Buffer.from(date)]);
  return Buffer.concat([dated, digestOf(dated, scope)]).toString('base64url');
};

/**
 * @param isDate whether a cursor of the list may have this date; in a list by id, only the empty date
 * @throws ProblemError `invalid-cursor` for an altered cursor, or a cursor of another list
 */
export const decodeCursor = (cursor: string, scope: string, isDate: (text: string) => boolean): CursorPosition => {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, -DIGEST_BYTES);
  const isCanonical = position.length >= ID_BYTES && bytes.toString('base64url') === cursor;
  const isIntact = isCanonical && digestOf(position, scope).equals(bytes.subarray(-DIGEST_BYTES));
  const id = isIntact ? Number(position.readBigUInt64BE()) : undefined;
  const date = position.toString('utf8', ID_BYTES);
  if (id === undefined || !(id === 0 || isId(id)) || !isDate(date)) {
    throw new ProblemError('invalid-cursor', {
      detail: `${quote(cursor)} is no cursor of this list, its filter and its order.`,
    });
  }
  return { id, date };
};

/**
 * Binds a cursor to its list, so that a cursor of another list is detected. It needs no secret: a forged cursor only
 * names a position in the caller's own list.
 */
const digestOf = (position: Buffer, scope: string): Buffer =>
  createHash('sha256').update(position).update(scope).digest().subarray(0, DIGEST_BYTES);
