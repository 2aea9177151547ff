import { createHash } from 'node:crypto';
import { isId } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

const ID_BYTES = 8;
const SEAL_BYTES = 12;

/**
 * A cursor's seal binds it to the list it came from. It needs no secret: a forged cursor names a place in the
 * caller's own list, which any id does; the seal is there so that a mix-up is noticed.
 */
const seal = (id: Buffer, list: string): Buffer =>
  createHash('sha256').update(id).update(list).digest().subarray(0, SEAL_BYTES);

/** The opaque token of a place in a list: behind the row of this id (§4 Pagination). */
export const encodeCursor = (id: number, list: string): string => {
  const place = Buffer.alloc(ID_BYTES);
  place.writeBigUInt64BE(BigInt(id));
  return Buffer.concat([place, seal(place, list)]).toString('base64url');
};

/** @throws ProblemError `invalid-cursor` for one that was altered, or that comes from another list */
export const decodeCursor = (cursor: string, list: string): number => {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(0, ID_BYTES);
  const whole = bytes.length === ID_BYTES + SEAL_BYTES && bytes.toString('base64url') === cursor;
  const id = whole && seal(place, list).equals(bytes.subarray(ID_BYTES)) ? Number(place.readBigUInt64BE()) : undefined;
  if (!isId(id)) {
    throw new ProblemError('invalid-cursor', {
      detail: `${quote(cursor)} is no cursor of this list, its filter and its order.`,
    });
  }
  return id;
};
