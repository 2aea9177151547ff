import * as v from 'valibot';
import type { Amounts, Place } from '#shared/platform/problem.ts';
import {
  type BodyKind,
  type Field,
  type Fields,
  hasFallback,
  type Row,
  readOnly,
  readsOf,
  requestSchema,
  valueFor,
} from './field.ts';
import { Currency, object } from './schema.ts';
import type { Version } from './version.ts';

/** The v2 fields: a money object combines each amount with the currency (CONTRACT §4 v2). */
export const toMoneyFields = (fields: Fields): Fields => {
  const entries = Object.entries(fields);
  if (!entries.some(([, field]) => field.money)) return fields;
  return Object.fromEntries(
    entries
      .filter(([name]) => name !== 'currency')
      .map(([name, field]) =>
        field.money ? [moneyName(name), toMoneyField(name, field, fields['currency'])] : [name, field.inV2 ?? field],
      ),
  );
};

/**
 * Converts money objects of a v2 body back to `X_cents` and `currency`. The currencies beside amounts that have a currency
 * already become `currencies`, by the names of the amounts.
 */
export const fromMoney = (v1: Fields, kind: BodyKind) => {
  const amounts = new Map(Object.keys(v1).flatMap((name) => (v1[name]?.money ? [[moneyName(name), name]] : [])));
  const field = v1['currency'];
  const isOwn = field && isWritable(field);
  const fallback = field && hasFallback(field, kind) ? (field.fallback as string) : undefined;
  return (body: Record<string, unknown>) => {
    const domainBody: Record<string, unknown> = {};
    const currencies: Record<string, string> = {};
    for (const [name, value] of Object.entries(body)) {
      const amountName = amounts.get(name);
      if (amountName === undefined) {
        domainBody[name] = value;
        continue;
      }
      const { amount, currency = fallback } = value as Money;
      domainBody[amountName] = amount;
      if (currency !== undefined && isOwn) domainBody['currency'] = currency;
      else if (currency !== undefined) currencies[amountName] = currency;
    }
    return Object.keys(currencies).length > 0 ? { ...domainBody, currencies } : domainBody;
  };
};

export const pointerTo = (version: Version, { field, amount }: Place): string => {
  if (amount === undefined) return field === undefined ? '' : `/${field}`;
  return version === 'v1' ? `/${field ?? amount}` : `/${moneyName(amount)}/${field ?? 'amount'}`;
};

/** Amounts as members of a problem; v1 omits the currency. */
export const serializeAmounts = (version: Version, { currency, ...amounts }: Amounts): Record<string, unknown> =>
  version === 'v1'
    ? amounts
    : Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [moneyName(name), { amount, currency }]));

type Money = { amount: number; currency?: string };

const STORED_CURRENCY = readOnly(Currency, 'The currency of the amounts.');

export const moneyName = (name: string): string => name.slice(0, -'_cents'.length);

const isWritable = ({ access }: Field): boolean => access !== 'read-only';

const FOREIGN_CURRENCY = 'May be omitted: the amount has a currency already, and another one is refused.';

/** @param currency the v1 field; absent if the currency is stored, but is not a field */
const toMoneyField = (name: string, field: Field, currency: Field = STORED_CURRENCY): Field => {
  const isOwn = isWritable(currency);
  const accepts = (fallback?: unknown) => {
    const metadata = { description: isOwn ? currency.meaning : FOREIGN_CURRENCY, default: fallback };
    return object({
      amount: requestSchema(field),
      currency: v.exactOptional(v.pipe(Currency, v.metadata(metadata))),
    });
  };
  return {
    ...field,
    schema: object({ amount: field.schema, currency: Currency }),
    accepts: accepts(),
    ...(isOwn && { onCreate: accepts(currency.fallback) }),
    ...('fallback' in field && { fallback: { amount: field.fallback } }),
    reads: [...readsOf(name, field), 'currency'],
    value: (row: Row) => ({ amount: valueFor(name, field, row), currency: valueFor('currency', currency, row) }),
  };
};
