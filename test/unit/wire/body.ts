import * as v from 'valibot';
import type { Schema } from '#shared/platform/wire/schema.ts';
import { violation } from '#shared/platform/wire/violation.ts';

/** What a schema finds wrong with a body, as `pointer code`, sorted; nothing when it is valid. */
export const faults = (schema: Schema<unknown>, body: unknown): string[] =>
  (v.safeParse(schema, body).issues ?? [])
    .map((issue) => violation(issue) as { pointer: string; code: string })
    .map(({ pointer, code }) => `${pointer} ${code}`)
    .sort();

/** The domain's value of a valid body. */
export const parsed = <T>(schema: Schema<T>, body: unknown): T => v.parse(schema, body);

export const repeat = (count: number, character = 'x'): string => character.repeat(count);

/** One character in two UTF-16 code units. */
export const EMOJI = '😀';
