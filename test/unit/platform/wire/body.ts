import * as v from 'valibot';
import type { Schema } from '#shared/platform/wire/schema.ts';
import { violation } from '#shared/platform/wire/violation.ts';

/** The violations of a body as `pointer code`, sorted; an empty list when the body is valid. */
export const faults = (schema: Schema<unknown>, body: unknown): string[] =>
  (v.safeParse(schema, body).issues ?? [])
    .map((issue) => violation(issue) as { pointer: string; code: string })
    .map(({ pointer, code }) => `${pointer} ${code}`)
    .sort();

/** The domain value of a valid body. */
export const parse = <T>(schema: Schema<T>, body: unknown): T => v.parse(schema, body);
