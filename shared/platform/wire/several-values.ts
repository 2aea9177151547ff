import * as v from 'valibot';
import type { Schema } from './schema.ts';
import { issue } from './violation.ts';

/* Several values of a filter, separated by commas (CONTRACT §4). */

type Value = string | number;

export const MAX_VALUES = 10;
export const TOO_MANY_VALUES = { code: 'out-of-range', detail: `must have at most ${MAX_VALUES} values` };

export const MAX_COMBINATIONS = 20;
export const TOO_MANY_COMBINATIONS = {
  code: 'out-of-range',
  detail: `must have at most ${MAX_COMBINATIONS} combinations of values with the other filters`,
};

/** Whether the values, apart from null, can be any texts: commas then separate nothing. */
export const isText = (schema: Schema<unknown>): boolean =>
  'wrapped' in schema ? isText(schema.wrapped as Schema<unknown>) : schema.type === 'string';

/** The distinct texts of the values. */
export const splitValues = (schema: Schema<unknown>, text: string): string[] =>
  isText(schema) ? [text] : [...new Set(text.split(','))];

/** A value is valid if the schema accepts it as text or as an integer. */
export const parseText = <T extends Value>(schema: Schema<T>, text: string): T | undefined => {
  const values = /^[1-9]\d{0,15}$/.test(text) ? [text, Number(text)] : [text];
  return values.map((value) => v.safeParse(schema, value)).find(({ success }) => success)?.output as T | undefined;
};

/** One value, or the distinct values, sorted. */
export const toValues = <T extends Value>(values: readonly T[]): T | readonly T[] => {
  const [first, ...others] = values.toSorted((a, b) => (a < b ? -1 : 1));
  return others.length > 0 ? [first as T, ...others] : (first as T);
};

const hasSeveral = (value: unknown): value is string => typeof value === 'string' && value.includes(',');

/** A value, or a text of values that are separated by commas. It stays as it is; {@link valuesOf} parses it. */
export const orSeveral = (schema: Schema<unknown>): Schema<Value> => {
  if (isText(schema)) return schema as Schema<Value>;
  return v.pipe(
    v.custom<Value>(() => true),
    v.metadata({ several: schema }),
    v.rawCheck(({ dataset, addIssue }) => {
      const { value } = dataset;
      const texts = hasSeveral(value) ? splitValues(schema, value) : [];
      if (texts.length > MAX_VALUES) return addIssue({ message: issue(TOO_MANY_VALUES.code, TOO_MANY_VALUES.detail) });
      const wrong = hasSeveral(value)
        ? texts.filter((text) => parseText(schema as Schema<Value>, text) === undefined)
        : [value];
      for (const each of wrong) for (const { message } of v.safeParse(schema, each).issues ?? []) addIssue({ message });
    }),
  );
};

/** The values of {@link orSeveral}. */
export const valuesOf = (schema: Schema<unknown>, value: Value): Value | readonly Value[] => {
  if (isText(schema) || !hasSeveral(value)) return value;
  return toValues(splitValues(schema, value).map((text) => parseText(schema as Schema<Value>, text) as Value));
};
