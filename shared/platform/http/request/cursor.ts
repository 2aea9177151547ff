import { createHash } from 'node:crypto';
import { isId } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

const ID_BYTES = 8;
const DIGEST_BYTES = 12;

/** The cursor of the position after the row with this id (§4 Pagination); 0 is the position before the first row. */
export const encodeCursor = (id: number, scope: string): string => {
  const position = Buffer.alloc(ID_BYTES);
  position.writeBigUInt64BE(BigInt(id));
  return Buffer.concat([position, digestOf(position, scope)]).toString('base64url');
};

/** @throws ProblemError `invalid-cursor` for an altered cursor, or a cursor of another list */
export const decodeCursor = (cursor: string, scope: string): number => {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, ID_BYTES);
  const isCanonical = bytes.length === ID_BYTES + DIGEST_BYTES && bytes.toString('base64url') === cursor;
  const isIntact = isCanonical && digestOf(position, scope).equals(bytes.subarray(ID_BYTES));
  const id = isIntact ? Number(position.readBigUInt64BE()) : undefined;
  if (id === undefined || !(id === 0 || isId(id))) {
    throw new ProblemError('invalid-cursor', {
      detail: `${quote(cursor)} is no cursor of this list, its filter and its order.`,
    });
  }
  return id;
};

/**
 * Binds a cursor to its list, so that a cursor of another list is detected. It needs no secret: a forged cursor only
 * names a position in the caller's own list.
 */
const digestOf = (id: Buffer, scope: string): Buffer =>
  createHash('sha256').update(id).update(scope).digest().subarray(0, DIGEST_BYTES);
