import * as v from 'valibot';
import { METADATA_KEY_LENGTH, METADATA_PAIRS, METADATA_VALUE_LENGTH } from '#shared/invoicing/metadata/rules.ts';
import { isObject } from '#shared/platform/entity.ts';
import { optional } from '#shared/platform/wire/field.ts';
import { pathItem, type Schema, text } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

/** DynamoDB rejects an empty attribute name. An assignment to `__proto__` would not create a pair. */
const Key = v.pipe(
  text({ min: 1, max: METADATA_KEY_LENGTH }),
  v.check((key) => key !== '__proto__', issue('not-allowed', 'must not be __proto__')),
);
const Value = text({ max: METADATA_VALUE_LENGTH });

/** Checks pairs one by one: Valibot's `record` silently drops keys such as `constructor`. */
const pairs = <T extends string | null>(value: Schema<T>, isPatch: boolean): Schema<Record<string, T>> =>
  v.pipe(
    v.custom<Record<string, T>>(isObject, issue('invalid-type', 'must be an object')),
    v.metadata({ keys: Key, values: value, max: isPatch ? undefined : METADATA_PAIRS }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const entries = Object.entries(dataset.value);
      // In a merge patch, null removes a pair.
      const added = isPatch ? entries.filter(([, entry]) => entry !== null) : entries;
      if (added.length > METADATA_PAIRS) {
        addIssue({ message: issue('too-many', `must hold at most ${METADATA_PAIRS} pairs`) });
        return;
      }
      for (const [key, entry] of entries) {
        const issues = [...(v.safeParse(Key, key).issues ?? []), ...(v.safeParse(value, entry).issues ?? [])];
        for (const { message } of issues) addIssue({ message, path: [pathItem(dataset.value, key)] });
      }
    }),
  );

export const metadata = optional(
  pairs(Value, false),
  {},
  'Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500.',
  { onPatch: pairs(v.nullable(Value), true) },
);
