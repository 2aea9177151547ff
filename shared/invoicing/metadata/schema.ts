import * as v from 'valibot';
import { METADATA_KEY_LENGTH, METADATA_PAIRS, METADATA_VALUE_LENGTH } from '#shared/invoicing/metadata/rules.ts';
import { optional } from '#shared/platform/wire/field.ts';
import { isObject, pathItem, type Schema, text } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

/** DynamoDB takes no empty attribute name. */
const Key = v.pipe(
  text(METADATA_KEY_LENGTH),
  v.nonEmpty(issue('too-short', 'must have a key of at least 1 character')),
);
const Value = text(METADATA_VALUE_LENGTH);

/** Pairs are checked one by one: a schema of records would silently drop keys such as `constructor`. */
const pairs = <T extends string | null>(value: Schema<T>, most: number): Schema<Record<string, T>> =>
  v.pipe(
    v.custom<Record<string, T>>(isObject, issue('invalid-type', 'must be an object')),
    v.metadata({ keys: Key, values: value, most }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const entries = Object.entries(dataset.value);
      if (entries.length > most) addIssue({ message: issue('too-many', `must hold at most ${most} pairs`) });
      for (const [key, held] of entries) {
        const issues = [...(v.safeParse(Key, key).issues ?? []), ...(v.safeParse(value, held).issues ?? [])];
        for (const { message } of issues) addIssue({ message, path: [pathItem(dataset.value, key)] });
      }
    }),
  );

/** A merge patch of metadata: null removes a pair, so only the merged whole can be too large. */
const MetadataPatch = pairs(v.nullable(Value), Number.POSITIVE_INFINITY);

/** The field of every resource that has metadata. */
export const metadata = optional(
  pairs(Value, METADATA_PAIRS),
  {},
  'Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500.',
  { onPatch: MetadataPatch },
);
