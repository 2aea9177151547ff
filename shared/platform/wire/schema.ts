import * as v from 'valibot';
import { isId } from '#shared/platform/id.ts';
import { MAX_CENTS } from '#shared/platform/money.ts';
import { issue } from './violation.ts';

/**
 * A schema of one JSON value that parses to T. What JSON Schema cannot know of a check is said beside it as metadata,
 * in JSON Schema's own words or in those that `shared/openapi/json-schema.ts` takes apart; parsing passes over it.
 */
export type Schema<T> = v.GenericSchema<unknown, T>;

const MAX_TEXT = 1000;

/** Characters are code points, as in JSON Schema; code units are counted first, for they are at least as many. */
const isWithin = (text: string, max: number): boolean => text.length <= max || [...text].length <= max;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const CLEAN = issue('invalid-text', 'must hold neither U+0000 nor a lone surrogate');

/** A string of at most `max` characters, kept verbatim (CONTRACT §3). */
export const text = (max = MAX_TEXT) =>
  v.pipe(
    v.string(issue('invalid-type', 'must be a string')),
    v.metadata({ maxLength: max }),
    v.check((value) => isWithin(value, max), issue('too-long', `must have at most ${max} characters`)),
    v.check(isStorable, CLEAN),
  );

const ID = issue('invalid-id', 'must be an integer in 1…2^53−1');
export const Id: Schema<number> = v.pipe(
  v.custom<number>(isId, ID),
  v.metadata({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/** An integer in min…max. */
export const integer = (min: number, max: number): Schema<number> =>
  v.pipe(
    v.custom<number>(Number.isSafeInteger, issue('invalid-type', 'must be an integer')),
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
    v.check((value) => value >= min && value <= max, issue('out-of-range', `must be in ${min}…${max}`)),
    // JSON has a −0, which would be a change of 0.
    v.transform((value) => value + 0),
  );

/** An amount in minor units (CONTRACT §3). */
export const cents = (min = 0): Schema<number> => integer(min, MAX_CENTS);

export const oneOf = <const T extends string>(values: readonly T[]): Schema<T> =>
  v.picklist(values, issue('not-allowed', `must be one of ${values.join(', ')}`));

/** ISO 4217; the codes that this runtime's ICU data lists, and no document repeats: another runtime lists others. */
export const Currency: Schema<string> = v.pipe(
  v.picklist(Intl.supportedValuesOf('currency'), issue('invalid-currency', 'must be an ISO 4217 code in upper case')),
  v.metadata({ enum: undefined, pattern: '^[A-Z]{3}$' }),
);

/** Days that every month has need no calendar. */
const EVERY_MONTH = 28;
const DATE = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;

/** JavaScript takes the 30th of February for the 2nd of March: the day tells. */
const isDay = (date: string): boolean => {
  const day = Number(date.slice(8));
  return day <= EVERY_MONTH || new Date(`${date}T00:00:00.000Z`).getUTCDate() === day;
};

const isTime = (value: unknown, form: RegExp): boolean =>
  typeof value === 'string' && form.test(value) && isDay(value.slice(0, 10));

const A_DATE = new RegExp(`^${DATE}$`);
const A_TIME = new RegExp(String.raw`^${DATE}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$`);

/** A day of the calendar, `YYYY-MM-DD`. */
export const CalendarDate: Schema<string> = v.pipe(
  v.custom<string>((value) => isTime(value, A_DATE), issue('invalid-date', 'must be a date YYYY-MM-DD')),
  v.metadata({ type: 'string', format: 'date' }),
);

/** RFC 3339 UTC with milliseconds. */
export const Timestamp: Schema<string> = v.pipe(
  v.custom<string>(
    (value) => isTime(value, A_TIME),
    issue('invalid-timestamp', 'must be an RFC 3339 UTC timestamp with milliseconds'),
  ),
  v.metadata({ type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' }),
);

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => v.nullable(schema);

export type Json = Record<string, unknown>;
export type Entries = Record<string, v.GenericSchema>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const AnObject = v.custom<Json>(isObject, issue('invalid-type', 'must be an object'));
export const UNKNOWN = issue('unknown-field', 'is no field of this resource');

/** The place of a member, as the library has it. */
export const place = (input: Json, key: string): v.ObjectPathItem => ({
  type: 'object',
  origin: 'value',
  input,
  key,
  value: input[key],
});

/** Finds what is wrong with an object's members beside each other: at which of their own, and the message. */
export type CrossFieldCheck = (
  value: Json,
) => readonly { readonly path: readonly string[]; readonly message: string }[];

const pathItems = (input: Json, [key = '', ...rest]: readonly string[]): v.ObjectPathItem[] => [
  place(input, key),
  ...(rest.length > 0 ? pathItems(input[key] as Json, rest) : []),
];

/**
 * An object of nothing but the named members, with every unknown one reported at its place.
 * @param ignored members that are accepted whatever they hold, and dropped (CONTRACT §4, R)
 */
export const object = (
  entries: Entries,
  ignored: readonly string[] = [],
  together: CrossFieldCheck = () => [],
): Schema<Json> => {
  const members = v.object(entries);
  return v.pipe(
    AnObject,
    v.metadata({ members, ignored }),
    // The input is looked at here: the library's own schemas pass over names such as `constructor`.
    v.rawTransform(({ dataset: { value }, addIssue }) => {
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(entries, key) && !ignored.includes(key)) {
          addIssue({ message: UNKNOWN, path: [place(value, key)] });
        }
      }
      for (const { path, message } of together(value)) {
        addIssue({ message, path: pathItems(value, path) as [v.ObjectPathItem] });
      }
      const { issues = [], output } = v.safeParse(members, value);
      for (const { message, path } of issues) addIssue({ message, ...(path && { path }) });
      return output as Json;
    }),
  );
};
