import * as v from 'valibot';
import { type Sort, serves } from '#shared/platform/declarations/resource.ts';
import {
  CURSOR_PARAMETERS,
  IDS,
  type ListDeclaration,
  OFFSET_PARAMETERS,
  TIME_PARAMETERS,
} from '#shared/platform/http/endpoint.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import type { Violation } from '#shared/platform/problem.ts';
import {
  combinationsOf,
  type Filter,
  type IdRange,
  type PageRequest,
  type Sorting,
  type UniqueValue,
  type Values,
} from '#shared/platform/store/page.ts';
import { type Field, type Fields, requestSchema } from '#shared/platform/wire/field.ts';
import { Id, type Schema, TimeBound } from '#shared/platform/wire/schema.ts';
import {
  MAX_COMBINATIONS,
  MAX_VALUES,
  parseText,
  splitValues,
  TOO_MANY_COMBINATIONS,
  TOO_MANY_VALUES,
  toValues,
} from '#shared/platform/wire/several-values.ts';
import { codeAndDetail } from '#shared/platform/wire/violation.ts';
import { decodeCursor } from './cursor.ts';

/** CONTRACT §5: a number outside these limits is a violation. */
export const PAGE_SIZE = { min: 1, max: 100, default: 20 };
const PAGE_NUMBER = { min: 1, max: Number.MAX_SAFE_INTEGER, default: 1 };

/** The values of `sort`. */
export const ordersOf = ({ sorts = [] }: Pick<ListDeclaration, 'sorts'>): string[] =>
  ['id', ...sorts.map(({ by }) => by)].flatMap((name) => [name, `-${name}`]);

/** A requested page of a list; its links repeat path and parameters. */
export interface Listing {
  readonly request: PageRequest;
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Identifies the list that a cursor belongs to (CONTRACT §5). */
  readonly cursorScope: string;
}

interface ListingContext {
  readonly account: string;
  readonly path: string;
  readonly fields: Fields;
  readonly list: ListDeclaration;
  readonly parameters: ReadonlyMap<string, string>;
  readonly violations: Violation[];
  readonly attributes: PageRequest['attributes'];
}

/** @throws ProblemError `invalid-cursor`; any other error becomes a violation */
export const parseListing = (context: ListingContext): Listing => {
  const { account, path, parameters, violations, attributes } = context;
  const alone = [...(context.list.lookups ?? []), IDS].find((name) => parameters.has(name));
  if (alone !== undefined) return listingOf(alone, context);
  const filter = parseFilter(context);
  const { order, declared, sort } = parseSort(context);
  if (!declared) checkCombination(context);
  const range = parseRange(context);
  const selection = { filter, range, order, attributes };
  const times = range && TIME_PARAMETERS.map((name) => parameters.get(name));
  const bounds = [times, sort].filter((bound) => bound !== undefined);
  const cursorScope = JSON.stringify([account, path, Object.entries(filter).sort(), order, ...bounds]);
  const offset = OFFSET_PARAMETERS.find((name) => parameters.has(name));
  const cursor = CURSOR_PARAMETERS.find((name) => parameters.has(name));
  if (offset && cursor) {
    violations.push({ parameter: offset, code: 'mixed-styles', detail: `cannot be combined with ${cursor}` });
  }
  const after = parameters.get('after');
  const limit = parseNumber('limit', PAGE_SIZE, context);
  const page = parseNumber('page', PAGE_NUMBER, context);
  const per_page = parseNumber('per_page', PAGE_SIZE, context);
  if (offset) {
    const several = Object.keys(filter).find((name) => Array.isArray(filter[name]));
    if (several)
      violations.push({
        parameter: offset,
        code: 'not-allowed',
        detail: `cannot be combined with several values of ${several}`,
      });
    const values = combinationsOf(filter)[0] as Values;
    return {
      request: { style: 'offset', page, per_page, ...selection, filter: values },
      path,
      parameters,
      cursorScope,
    };
  }
  const isDate = (text: string) => (declared ? v.is(filterSchema(context, declared.by), text) : text === '');
  const position = after === undefined ? undefined : decodeCursor(after, cursorScope, isDate);
  const sorting = sort && { sort: { ...sort, after: position?.date } };
  const request: PageRequest = { style: 'cursor', limit, after: position?.id, ...sorting, ...selection };
  return { request, path, parameters, cursorScope };
};

/** CONTRACT §4, Ids: DynamoDB's limit for one BatchGetItem. */
export const MAX_IDS = 100;

/** The list of the members that a parameter names, in one page: by their ids, or by a unique value. */
const listingOf = (parameter: string, context: ListingContext): Listing => {
  const { path, parameters, violations, attributes } = context;
  for (const other of [...parameters.keys()].filter((name) => ![parameter, 'fields', 'expand'].includes(name)))
    violations.push({ parameter: other, code: 'not-allowed', detail: `cannot be combined with ${parameter}` });
  const named = parameter === IDS ? { ids: parseIds(context) } : { unique: parseUnique(parameter, context) };
  const page = { limit: MAX_IDS, after: undefined, order: 'ascending', filter: {} } as const;
  return { request: { style: 'cursor', ...named, attributes, ...page }, path, parameters, cursorScope: '' };
};

const parseIds = (context: ListingContext): number[] => {
  const texts = splitValues(Id, context.parameters.get(IDS) ?? '');
  if (texts.length <= MAX_IDS) return texts.flatMap((text) => parseValue(IDS, text, Id, context) ?? []);
  context.violations.push({ parameter: IDS, code: 'out-of-range', detail: `must have at most ${MAX_IDS} ids` });
  return [];
};

const parseUnique = (field: string, context: ListingContext): UniqueValue => {
  const text = context.parameters.get(field) ?? '';
  return { field, value: String(parseValue(field, text, filterSchema(context, field), context)) };
};

const parseNumber = (
  parameter: string,
  { min, max, default: defaultValue }: typeof PAGE_SIZE,
  { parameters, violations }: ListingContext,
): number => {
  const text = parameters.get(parameter);
  if (text === undefined) return defaultValue;
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  violations.push({ parameter, code: 'out-of-range', detail: `must be an integer in ${min}…${max}` });
  return defaultValue;
};

type Bounds = Omit<Sorting, 'after'>;

/** Checks `sort` with the parameters that a sort requires, permits and excludes (CONTRACT §4). */
const parseSort = (
  context: ListingContext,
): { order: PageRequest['order']; declared: Sort | undefined; sort: Bounds | undefined } => {
  const { list, parameters, violations } = context;
  const text = parameters.get('sort') ?? 'id';
  const order = text.startsWith('-') ? 'descending' : 'ascending';
  const orders = ordersOf(list);
  if (!orders.includes(text)) {
    const detail = `must be ${orders.slice(0, -1).join(', ')} or ${orders.at(-1)}`;
    violations.push({ parameter: 'sort', code: 'not-allowed', detail });
  }
  const declared = list.sorts?.find(({ by }) => by === text.replace(/^-/, ''));
  for (const other of list.sorts ?? []) {
    if (other === declared) continue;
    for (const parameter of [other.from, other.before].filter((name) => parameters.has(name)))
      violations.push({ parameter, code: 'not-allowed', detail: `is allowed only with sort=${other.by}` });
  }
  if (!declared) return { order, declared, sort: undefined };
  const { by, filters, from, before } = declared;
  for (const parameter of filters.filter((name) => !parameters.has(name)))
    violations.push({ parameter, code: 'required', detail: `is required with sort=${text}` });
  const excluded = [
    ...list.filters.filter((name) => !filters.includes(name)),
    ...TIME_PARAMETERS,
    ...OFFSET_PARAMETERS,
  ];
  for (const parameter of excluded.filter((name) => parameters.has(name)))
    violations.push({ parameter, code: 'not-allowed', detail: `cannot be combined with sort=${text}` });
  const date = filterSchema(context, by) as Schema<string>;
  const bounds = { from: parseBound(from, date, context), before: parseBound(before, date, context) };
  return { order, declared, sort: { by, ...bounds } };
};

/** The schema of a filter: the list declares only fields of its resource, which have texts or integers. */
const filterSchema = ({ fields }: ListingContext, name: string): Schema<string | number> =>
  requestSchema(fields[name] as Field) as Schema<string | number>;

/** Ids begin with the creation time, so bounds of the creation time are bounds of the ids. */
const parseRange = (context: ListingContext): IdRange | undefined => {
  const [from, before] = TIME_PARAMETERS.map((parameter) => {
    const time = parseBound(parameter, TimeBound, context);
    return time === undefined ? undefined : firstIdAt(Date.parse(time));
  });
  if (from === undefined && before === undefined) return undefined;
  return { from: from ?? 0, before: before ?? Number.MAX_SAFE_INTEGER };
};

/** A combination of filters without an index would read every row of the account (CONTRACT §4). */
const checkCombination = ({ list, parameters, violations }: ListingContext): void => {
  const filters = list.filters.filter((name) => parameters.has(name));
  const parameter = filters.at(-1);
  if (parameter && !serves(list, filters))
    violations.push({ parameter, code: 'not-allowed', detail: 'no index has these filters' });
};

const parseFilter = (context: ListingContext): Filter => {
  const { list, parameters, violations } = context;
  const given = list.filters.filter((name) => parameters.has(name));
  const filter = Object.fromEntries(
    given.flatMap((name) => {
      const values = parseValues(name, context);
      return values.length > 0 ? [[name, toValues(values)]] : [];
    }),
  );
  const parameter = given.at(-1);
  if (parameter && combinationsOf(filter).length > MAX_COMBINATIONS)
    violations.push({ parameter, ...TOO_MANY_COMBINATIONS });
  return filter;
};

const parseValues = (parameter: string, context: ListingContext): (string | number)[] => {
  const schema = filterSchema(context, parameter);
  const texts = splitValues(schema, context.parameters.get(parameter) ?? '');
  if (texts.length <= MAX_VALUES) return texts.flatMap((text) => parseValue(parameter, text, schema, context) ?? []);
  context.violations.push({ parameter, ...TOO_MANY_VALUES });
  return [];
};

/** Clients that build a query by hand lose the + of an offset or of an email. Said where a + would be right. */
const LOST_PLUS = 'a + in a query means a blank: send it as %2B';

const parseBound = (parameter: string, schema: Schema<string>, context: ListingContext): string | undefined => {
  const text = context.parameters.get(parameter);
  return text === undefined ? undefined : parseValue(parameter, text, schema, context);
};

const parseValue = <T extends string | number>(
  parameter: string,
  text: string,
  schema: Schema<T>,
  { violations }: ListingContext,
): T | undefined => {
  const value = parseText(schema, text);
  if (value !== undefined) return value;
  const withPlus = v.safeParse(schema, text.replaceAll(' ', '+')).issues ?? [];
  for (const issue of v.safeParse(schema, text).issues ?? []) {
    const { code, detail } = codeAndDetail(issue);
    const isForBlank = withPlus.every(({ message }) => message !== issue.message);
    violations.push({ parameter, code, detail: isForBlank ? `${detail}; ${LOST_PLUS}` : detail });
  }
  return undefined;
};
