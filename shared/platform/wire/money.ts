import * as v from 'valibot';
import type { Field, Fields, Row } from './field.ts';
import { valueFor } from './field.ts';
import { Currency, object } from './schema.ts';
import type { Version } from './version.ts';

/** The fields of v2: each amount and the currency are one money object (CONTRACT §4 v2). */
export const toMoneyFields = (fields: Fields): Fields => {
  const all = Object.entries(fields);
  if (!all.some(([, field]) => field.money)) return fields;
  return Object.fromEntries(
    all
      .filter(([name]) => name !== 'currency')
      .map(([name, field]) => (field.money ? [moneyName(name), toMoneyField(name, field)] : [name, field])),
  );
};

/** What a body asks for: a whole member, or changes of one. */
export type BodyKind = 'create' | 'replace' | 'patch';

/** The domain's form of a v2 body: `X_cents` and `currency` again. */
export const fromMoney = (v1: Fields, operation: BodyKind) => {
  const amounts = new Map(Object.keys(v1).flatMap((name) => (v1[name]?.money ? [[moneyName(name), name]] : [])));
  const fallback = operation === 'patch' ? undefined : v1['currency']?.fallback;
  return (body: Record<string, unknown>) => {
    const terms: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(body)) {
      const amountName = amounts.get(name);
      if (amountName === undefined) {
        terms[name] = value;
        continue;
      }
      const { amount, currency = fallback } = value as Money;
      terms[amountName] = amount;
      if (currency !== undefined) terms['currency'] = currency;
    }
    return terms;
  };
};

/** A place in a body: a field, an amount, or the currency of an amount; by their v1 names. */
export interface Place {
  readonly field?: string;
  readonly amount?: string;
}

/** The pointer to a place in a body of this version (RFC 6901); in v2 an amount is an object of two members. */
export const pointerTo = (version: Version, { field, amount }: Place): string => {
  if (amount === undefined) return field === undefined ? '' : `/${field}`;
  return version === 'v1' ? `/${field ?? amount}` : `/${moneyName(amount)}/${field ?? 'amount'}`;
};

/** Amounts of one currency, by their v1 names. */
export type Amounts<Name extends `${string}_cents` = `${string}_cents`> = { readonly [N in Name]?: number } & {
  readonly currency: string;
};

/** Amounts as members of a problem: v1 leaves their currency out. */
export const serializeAmounts = (version: Version, { currency, ...amounts }: Amounts): Record<string, unknown> =>
  version === 'v1'
    ? amounts
    : Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [moneyName(name), { amount, currency }]));

type Money = { amount: number; currency?: string };

/** The v2 name of an amount. */
export const moneyName = (name: string): string => name.slice(0, -'_cents'.length);

const toMoneyField = (name: string, field: Field): Field => {
  const amount = field.accepts ?? field.schema;
  return {
    ...field,
    schema: object({ amount: field.schema, currency: Currency }),
    accepts: object({ amount, currency: v.exactOptional(Currency) }),
    ...('fallback' in field && { fallback: { amount: field.fallback } }),
    reads: [...(field.reads ?? [name]), 'currency'],
    value: (row: Row) => ({ amount: valueFor(name, field, row), currency: row['currency'] }),
  };
};
