import * as v from 'valibot';
import { METADATA_KEY_LENGTH, METADATA_PAIRS, METADATA_VALUE_LENGTH } from '#shared/invoicing/metadata/rules.ts';
import { optional } from '#shared/platform/wire/field.ts';
import { isObject, pathItem, type Schema, text } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

/** DynamoDB rejects an empty attribute name. */
const Key = text({ min: 1, max: METADATA_KEY_LENGTH });
const Value = text({ max: METADATA_VALUE_LENGTH });

/** Checks pairs one by one: Valibot's `record` silently drops keys such as `constructor`. */
const pairs = <T extends string | null>(value: Schema<T>, max: number): Schema<Record<string, T>> =>
  v.pipe(
    v.custom<Record<string, T>>(isObject, issue('invalid-type', 'must be an object')),
    v.metadata({ keys: Key, values: value, max }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const entries = Object.entries(dataset.value);
      if (entries.length > max) addIssue({ message: issue('too-many', `must hold at most ${max} pairs`) });
      for (const [key, entry] of entries) {
        const issues = [...(v.safeParse(Key, key).issues ?? []), ...(v.safeParse(value, entry).issues ?? [])];
        for (const { message } of issues) addIssue({ message, path: [pathItem(dataset.value, key)] });
      }
    }),
  );

/** In a merge patch, null removes a pair, so the number of pairs is checked after the merge. */
const MetadataPatch = pairs(v.nullable(Value), Number.POSITIVE_INFINITY);

export const metadata = optional(
  pairs(Value, METADATA_PAIRS),
  {},
  'Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500.',
  { onPatch: MetadataPatch },
);
