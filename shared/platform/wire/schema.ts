import * as v from 'valibot';
import { isObject } from '#shared/platform/entity.ts';
import { isId } from '#shared/platform/id.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';
import { parseTime, toTimestamp } from './time.ts';
import { issue } from './violation.ts';

/** Metadata describes the checks for `shared/openapi/json-schema.ts`; parsing ignores it. */
export type Schema<T> = v.GenericSchema<unknown, T>;

const MAX_TEXT_LENGTH = 1000;

const INVALID_TEXT = issue('invalid-text', 'must hold neither U+0000 nor a lone surrogate');

interface Length {
  readonly min?: 0 | 1;
  readonly max?: number;
}

/** CONTRACT §3: at most `max` characters, stored unchanged. */
export const text = ({ min = 0, max = MAX_TEXT_LENGTH }: Length = {}) =>
  v.pipe(
    v.string(issue('invalid-type', 'must be a string')),
    v.metadata({ minLength: min || undefined, maxLength: max }),
    v.check((value) => value.length >= min, issue('too-short', 'must have at least one character')),
    // Counts code points, as JSON Schema does. A text has at least as many code units, which are faster to count.
    v.check(
      (value) => value.length <= max || [...value].length <= max,
      issue('too-long', `must have at most ${max} characters`),
    ),
    v.check((value) => value.isWellFormed() && !value.includes('\0'), INVALID_TEXT),
  );

const INVALID_ID = issue('invalid-id', 'must be an integer in 1…2^53−1');
export const Id: Schema<number> = v.pipe(
  v.custom<number>(isId, INVALID_ID),
  v.metadata({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/** @param description for a value that is not a field; a field has its `meaning` */
export const integer = (min: number, max: number, description?: string): Schema<number> =>
  v.pipe(
    v.custom<number>(Number.isInteger, issue('invalid-type', 'must be an integer')),
    v.metadata({ type: 'integer', minimum: min, maximum: max, description }),
    v.check((value) => value >= min && value <= max, issue('out-of-range', `must be in ${min}…${max}`)),
    // Converts −0, which JSON allows, to 0.
    v.transform((value) => value + 0),
  );

interface Decimal {
  /** Exclusive, if 0 is not permitted. */
  readonly above?: number;
  readonly min?: number;
  readonly max: number;
  readonly decimals: number;
}

/**
 * Each permitted number is the double next to a decimal text, so that arithmetic with its digits is exact.
 * @param use the OpenAPI document states the decimals in requests only: many validators divide with binary fractions and
 * refuse 0.1, which is no multiple of 0.000001 then
 */
export const decimal = (
  { above, min = above ?? 0, max, decimals }: Decimal,
  use: 'request' | 'response' = 'response',
): Schema<number> => {
  const unit = 10 ** decimals;
  const range = above === undefined ? `${min}…${max}` : `above ${above} and at most ${max}`;
  const bounds = above === undefined ? { minimum: min } : { exclusiveMinimum: above };
  const multipleOf = use === 'request' ? 1 / unit : undefined;
  return v.pipe(
    v.custom<number>(Number.isFinite, issue('invalid-type', 'must be a number')),
    v.metadata({ type: 'number', format: 'double', ...bounds, maximum: max, multipleOf }),
    v.check((value) => value >= min && value <= max && value !== above, issue('out-of-range', `must be ${range}`)),
    v.check(
      (value) => !(Math.abs(value) <= max) || Math.round(value * unit) / unit === value,
      issue('too-many-decimals', `must have at most ${decimals} decimals`),
    ),
    v.transform((value) => value + 0),
  );
};

export const cents = (min = 0): Schema<number> => integer(min, MAX_CENTS);

/** @param title the name of the values in the OpenAPI document and in generated clients */
export const oneOf = <const T extends string>(title: string, values: readonly T[]): Schema<T> =>
  v.pipe(v.picklist(values, issue('not-allowed', `must be one of ${values.join(', ')}`)), v.metadata({ title }));

/** A code of a standard, which may have codes that the service does not know. */
export const standardCode = (name: string, codes: readonly string[], standard: string, form: RegExp): Schema<string> =>
  v.picklist(codes, ({ input }) => {
    const isWellFormed = typeof input === 'string' && form.test(input);
    return issue(
      `invalid-${name}`,
      isWellFormed ? `is not a supported ${name}` : `must be an ${standard} in upper case`,
    );
  });

const CURRENCY = /^[A-Z]{3}$/;

/** ISO 4217 codes from this runtime's ICU data. The OpenAPI document has a pattern, because runtimes differ. */
export const Currency: Schema<string> = v.pipe(
  standardCode('currency', Intl.supportedValuesOf('currency'), 'ISO 4217 code', CURRENCY),
  v.metadata({ enum: undefined, pattern: CURRENCY.source }),
);

const SHORTEST_MONTH_DAYS = 28;
const DAY_SOURCE = String.raw`(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;

const isDateText = (value: unknown, pattern: RegExp): boolean => {
  if (typeof value !== 'string' || !pattern.test(value)) return false;
  const [date, day] = [value.slice(0, 10), Number(value.slice(8, 10))];
  // JavaScript parses 30 February as 2 March, so the day differs.
  return day <= SHORTEST_MONTH_DAYS || new Date(`${date}T00:00:00.000Z`).getUTCDate() === day;
};

/** Clients in several languages cannot hold the year 0. */
const DATE_PATTERN = new RegExp(String.raw`^(?:19|[2-9]\d)\d\d-${DAY_SOURCE}$`);
const TIMESTAMP_PATTERN = new RegExp(String.raw`^\d{4}-${DAY_SOURCE}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$`);

export const CalendarDate: Schema<string> = v.pipe(
  v.custom<string>(
    (value) => isDateText(value, DATE_PATTERN),
    issue('invalid-date', 'must be a date YYYY-MM-DD of the years 1900 to 9999'),
  ),
  v.metadata({ type: 'string', format: 'date' }),
);

export const Timestamp: Schema<string> = v.pipe(
  v.custom<string>(
    (value) => isDateText(value, TIMESTAMP_PATTERN),
    issue('invalid-timestamp', 'must be an RFC 3339 UTC timestamp with milliseconds'),
  ),
  // There is no pattern, because some generated clients match it against a parsed date.
  v.metadata({ type: 'string', format: 'date-time' }),
);

/** A timestamp without a format, which would change the types of generated clients. */
export const TimestampText: Schema<string> = v.pipe(
  Timestamp,
  v.metadata({ format: undefined, pattern: TIMESTAMP_PATTERN.source }),
);

/** A time that bounds a list or an export; parsing returns it in the form of a {@link Timestamp}. */
export const TimeBound: Schema<string> = v.pipe(
  v.custom<string>(
    (value) => typeof value === 'string' && parseTime(value) !== undefined,
    issue('invalid-timestamp', 'must be an RFC 3339 time with seconds and offset, such as 2026-11-21T09:30:00Z'),
  ),
  v.metadata({ type: 'string', description: 'RFC 3339 with seconds and offset.' }),
  v.transform((text) => toTimestamp(parseTime(text) as number)),
);

interface Size {
  readonly min?: 0 | 1;
  readonly max: number;
  /** The keywords of JSON Schema that state another rule about the elements. */
  readonly rule?: JsonObject;
}

/** Checks the elements only of a list with a permitted length: a body has room for 130,000 elements. */
export const list = <T>(element: Schema<T>, { min = 0, max, rule }: Size) => {
  const elements = v.array(element);
  return v.pipe(
    v.custom<unknown[]>(Array.isArray, issue('invalid-type', 'must be an array')),
    v.metadata({ elements, minItems: min || undefined, maxItems: max, rule }),
    v.check(({ length }) => length >= min, issue('out-of-range', 'must have at least one element')),
    v.check(({ length }) => length <= max, issue('out-of-range', `must have at most ${max} elements`)),
    // A transformation runs only without a violation.
    v.rawTransform(({ dataset: { value }, addIssue }): T[] => {
      const { issues = [], output } = v.safeParse(elements, value);
      for (const { message, path } of issues) addIssue({ message, ...(path && { path }) });
      return output as T[];
    }),
  );
};

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => v.nullable(schema);

export type JsonObject = Record<string, unknown>;
export type Entries = Record<string, v.GenericSchema>;

const AnyObject = v.custom<JsonObject>(isObject, issue('invalid-type', 'must be an object'));
const UNKNOWN_FIELD = issue('unknown-field', 'is no field of this resource');

export const pathItem = (input: JsonObject, key: string): v.ObjectPathItem => ({
  type: 'object',
  origin: 'value',
  input,
  key,
  value: input[key],
});

/**
 * The keywords of JSON Schema for a condition. Generators of clients ignore them; from `allOf`, `oneOf` or `not`, they would
 * make other types.
 */
export const conditional = (
  condition: JsonObject,
  consequence: JsonObject,
  otherwise: JsonObject = {},
): JsonObject => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: consequence,
  else: otherwise,
});

/** A rule about several members. */
export interface CrossFieldRule {
  /** Finds violations, each with the path of one member. */
  readonly check: (value: JsonObject) => readonly { readonly path: readonly string[]; readonly message: string }[];
  /** The keywords of JSON Schema that state the rule. */
  readonly keywords: JsonObject;
}

const pathItems = (input: JsonObject, [key = '', ...rest]: readonly string[]): v.ObjectPathItem[] => [
  pathItem(input, key),
  ...(rest.length > 0 ? pathItems(input[key] as JsonObject, rest) : []),
];

/** @param ignored members that are accepted with any value and dropped (CONTRACT §4, R); others are violations */
export const object = (
  entries: Entries,
  ignored: readonly string[] = [],
  rules: readonly CrossFieldRule[] = [],
  title?: string,
): Schema<JsonObject> => {
  const members = v.object(entries);
  const rule = Object.assign({}, ...rules.map(({ keywords }) => keywords)) as JsonObject;
  return v.pipe(
    AnyObject,
    v.metadata({ members, ignored, rule, title }),
    // Checks the input itself, because the library's schemas skip names such as `constructor`.
    v.rawTransform(({ dataset: { value }, addIssue }) => {
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(entries, key) && !ignored.includes(key)) {
          addIssue({ message: UNKNOWN_FIELD, path: [pathItem(value, key)] });
        }
      }
      const broken = new Set<string>();
      for (const { path, message } of rules.flatMap(({ check }) => check(value))) {
        broken.add(`${path}`);
        addIssue({ message, path: pathItems(value, path) as [v.ObjectPathItem] });
      }
      const { issues = [], output } = v.safeParse(members, value);
      for (const { message, path } of issues) {
        const isReported = broken.size > 0 && broken.has(`${path?.map(({ key }) => key)}`);
        if (!isReported) addIssue({ message, ...(path && { path }) });
      }
      return output as JsonObject;
    }),
  );
};

/** An object with a name of its own in the OpenAPI document. */
export const namedObject = (title: string, entries: Entries): Schema<JsonObject> => object(entries, [], [], title);

/** Why a job failed. */
export const Failure: Schema<JsonObject> = namedObject('Failure', { code: text(), detail: text() });
