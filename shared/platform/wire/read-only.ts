import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#shared/platform/entity.ts';
import type { Violation } from '#shared/platform/problem.ts';
import { FIRST, type Field, type Fields, LAST, type Row, valueFor } from './field.ts';

/** A body may have any value of these, so that a body that was read creates a copy. */
const IGNORED = Object.keys({ ...FIRST, ...LAST });

export const isCompared = (name: string, { access }: Field): boolean =>
  access === 'read-only' && !IGNORED.includes(name);

/**
 * The read-only fields of a creation's body that have another value than the created member (CONTRACT §4, R).
 * @param pointer of the body
 */
export const contradictions = (body: unknown, fields: Fields, member: Row, pointer = ''): Violation[] =>
  isObject(body)
    ? Object.entries(fields).flatMap(([name, field]): Violation[] => {
        if (!isCompared(name, field) || !Object.hasOwn(body, name)) return [];
        const value = field.existsFrom === 'commit' ? null : valueFor(name, field, member);
        if (isEqual(body[name], value)) return [];
        const detail = `is read-only: it must be absent or ${JSON.stringify(value)}`;
        return [{ pointer: `${pointer}/${name}`, code: 'read-only', detail }];
      })
    : [];

/** A money object may omit the currency (CONTRACT §12). */
const isEqual = (sent: unknown, value: unknown): boolean =>
  isDeepStrictEqual(sent, value) ||
  (isObject(sent) && isObject(value) && isDeepStrictEqual({ currency: value['currency'], ...sent }, value));
